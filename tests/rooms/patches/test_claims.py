"""What the texts about patches, positions, attention and missing patches say, computed on the model that ships."""

from typing import Any

import numpy as np
import pytest
import torch

from core.exhibit import SHOW
from core.inspect.model_inputs.input_pictures import held_out_digit
from core.models.configs.presets import PRESETS
from core.models.images.vit import ViTConfig
from core.rooms.patches import attention, cut, hide, rollout, shuffle, similarity
from core.rooms.patches.compute import patch_effect
from core.rooms.patches.compute.patch_effect import (
    HIDING_ORDERS,
    HIDING_WAYS,
    class_rollout,
    held_out_attention,
    held_out_effects,
)
from core.rooms.patches.hide import patches_to_address
from core.rooms.patches.similarity import POSITION_GROUPS
from core.train.experiment import run_experiment
from core.train.experiments.digit_reader import DigitReader

MOST, LEAST, RANDOM = HIDING_ORDERS


@pytest.fixture(scope="module")
def reader() -> DigitReader:
    found = DigitReader(run_experiment("digits"))
    assert (found.patch_size, found.n_layer) == (2, 2)
    return found


def without(patches: Any, **inputs: Any) -> hide.HiddenPatches:
    return hide.compute(hide.Inputs(gone=patches_to_address(patches, 16), **inputs))


def ink() -> np.ndarray:
    return patch_effect.patch_ink(torch.from_numpy(patch_effect.evaluation_digits(16).shades), 2)


def test_some_heads_look_at_one_place_and_others_do_not() -> None:
    shares = [attention.compute(attention.Inputs(head=head)).share for head in range(8)]
    assert max(shares) > 0.75 and min(shares) < 0.5


def test_the_default_3_needs_a_patch_that_is_nearly_bare() -> None:
    result, patch = rollout.compute(rollout.Inputs()), 1 * 4 + 1
    assert rollout.Inputs().picture.label == 3 == result.probabilities.argmax()
    assert result.guesses["ink"][patch] < 0.05 and result.effects[0].argmax() == patch
    assert without([patch]).probabilities.argmax() != 3


def test_the_first_picture_is_read_as_another_digit_without_the_three_patches_it_looks_at_most() -> None:
    inputs = hide.Inputs()
    found = hide.compute(inputs)
    most = np.argsort(found.rollout)[-hide.N_AT_FIRST :]
    assert set(found.hidden.tolist()) == set(most.tolist())
    assert inputs.picture.label == 3 == found.before.argmax()
    assert found.probabilities.argmax() == 1 and found.probabilities.max() > 0.9


def test_painting_a_bare_patch_changes_nothing_and_leaving_it_out_can(reader: DigitReader) -> None:
    bare = ink() == 0
    assert np.abs(held_out_effects(reader, "painted")[bare]).max() < 1e-6
    removed = np.abs(held_out_effects(reader, "removed"))
    assert (np.where(bare, removed, 0).max(1) > 1).sum() > 30
    found = rollout.compute(rollout.Inputs()).found
    assert found.n == 360 and found.n_empty == np.take_along_axis(bare, removed.argmax(1)[:, None], 1).sum() > 50


def test_rollout_guides_where_tokens_are_left_out_and_ink_where_they_are_painted(reader: DigitReader) -> None:
    found, none, whole = (rollout.compute(rollout.Inputs(share=share)).found.correlation for share in (0.5, 0.0, 1.0))
    assert found["rollout"]["removed"] > 0.4 and found["ink"]["removed"] < -0.1
    assert found["rollout"]["painted"] < 0.1 and found["ink"]["painted"] > 0.8
    assert none["rollout"]["removed"] < found["rollout"]["removed"] - 0.05
    assert np.isnan(whole["rollout"]["removed"])
    assert not class_rollout(held_out_attention(reader), 1.0)[:, :, 1:].any()


@pytest.mark.measured("13-vision", "Draw how many")
def test_most_attended_patches_matter_when_they_are_left_out() -> None:
    found = without([]).curves
    assert (
        patch_effect.hidden_counts(16) == list(patch_effect.HIDDEN_SIXTEENTHS)
        and patch_effect.HIDDEN_SIXTEENTHS[3] == 3
    )
    assert patch_effect.hidden_counts(4) == [0, 1, 2, 3, 4] and patch_effect.hidden_counts(64)[3] == 12
    assert found[MOST][3] < 0.5 and found[LEAST][3] > 0.9
    assert all(found[MOST][k] < found[RANDOM][k] < found[LEAST][k] for k in range(1, 9))


def test_least_attended_patches_matter_at_first_when_they_are_painted(reader: DigitReader) -> None:
    found = without([], way="painted").curves
    assert all(found[LEAST][k] < found[RANDOM][k] < found[MOST][k] for k in (2, 3, 4))
    first = np.argsort(-class_rollout(held_out_attention(reader))[:, -1, 1:], axis=1)[:, :3]
    assert (np.take_along_axis(ink(), first, 1) < 0.1).mean() > 0.3  # "much of it is bare paper"


@pytest.mark.parametrize("way", HIDING_WAYS)
def test_without_any_patch_it_says_one_digit_for_all(way: str) -> None:
    one, other = (without(range(16), way=way, picture=held_out_digit(i)) for i in (0, 1))
    np.testing.assert_allclose(one.probabilities, other.probabilities, atol=1e-6)
    assert one.probabilities.max() > 0.5 and all(curve[-1] == 0.1 for curve in one.curves.values())


def test_the_numbers_of_the_cut() -> None:
    found = cut.compute(cut.Inputs())
    assert found.patches.shape == (16, 4) and found.projected.shape == (16, 48) and found.embedded.shape == (17, 48)
    for seed in (0, 1):
        drawn = cut.compute(cut.Inputs(kind="photo", seed=seed))
        assert drawn.patches.shape == (196, 768) and drawn.embedded.shape == (197, 48) and drawn.convolution < 1e-5
        assert drawn.positions.std() == pytest.approx(0.02, rel=0.05)
    assert ViTConfig(patch_size=1).n_patch == 64 and 14.5 < (65 / 17) ** 2 < 15
    sizes = [one.config for one in PRESETS.values() if one.family == "ViT"]
    widths = [(one.n_channel * one.patch_size**2, one.d_model) for one in sizes]
    assert widths == [(768, 192), (768, 384), (768, 768), (768, 1024), (588, 1280)]
    assert [1 + one.n_patch for one in sizes] == [197, 197, 197, 197, 257]
    assert sizes[-1].n_patch == 16 * 16 and sizes[-1].patch_size == 14 and sizes[0].n_patch == 14 * 14


@pytest.mark.measured("13-vision", "After training, which")
def test_the_grid_is_found() -> None:
    found = similarity.compute(similarity.Inputs())
    before, after = found.before, found.after
    off = ~np.eye(16, dtype=bool)
    assert np.abs(before.groups).max() < 0.1 and np.abs(before.cosine[off]).max() < 0.5
    by_name = dict(zip(POSITION_GROUPS, after.groups, strict=True))
    assert max(by_name, key=by_name.__getitem__) == "left or right of it" and by_name["left or right of it"] > 0.15
    assert by_name["farther in its column"] < -0.05 and by_name["elsewhere"] < -0.05
    assert after.beside >= 10 > before.beside and after.n_as_good <= 5 < before.n_as_good
    assert after.found > 0.3 > 0.2 > before.found


@pytest.mark.measured("13-vision", "How many digits does the twin")
def test_the_bag_has_no_order() -> None:
    """What becomes of it with patches of 4 x 4 is in tests/rooms/patches/test_learning.py."""
    every = shuffle.compute(shuffle.Inputs(guess=SHOW))
    for number in (0, 3, 77, 200):
        found = shuffle.compute(shuffle.Inputs(guess=SHOW, pairs=3, seed=5, picture=held_out_digit(number)))
        assert found.both["bag"].change < 2e-5 and found.both["ViT"].change > 0.1
        assert found.scores["bag"].before == found.scores["bag"].after == every.scores["bag"].after
    assert 0.4 < every.scores["bag"].before / every.n < 0.65  # about half
    assert every.scores["ViT"].before / every.n > 0.97 and every.scores["ViT"].after / every.n < 0.25
