"""What the texts about attention over patches, rollout and missing patches say, computed on the model that ships."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from core.inspect.pictures import held_out_digit
from core.rooms.patches import attention, hide, rollout
from core.rooms.patches.compute import patch_effect
from core.rooms.patches.reading import held_out, held_out_attention, looked
from core.ui.training import live
from core.ui.training.digit_reader import Reader, reader_of

MOST, LEAST, RANDOM = hide.ORDERS


@pytest.fixture(scope="module")
def reader() -> Reader:
    shown = live.example("digits")
    assert shown is not None
    found = reader_of(shown)
    assert (found.patch_size, found.n_layer) == (2, 2)
    return found


def ink_of(reader: Reader) -> NDArray[np.float64]:
    return patch_effect.ink(torch.from_numpy(held_out(reader).shades), reader.patch_size)


def test_some_heads_look_at_one_place_and_others_do_not(reader: Reader) -> None:
    shares = [attention.favorite_patch(reader, layer, head, 0)[1] for layer in range(2) for head in range(4)]
    assert max(shares) > 0.75 and min(shares) < 0.5


def test_the_default_3_needs_a_patch_that_is_nearly_bare(reader: Reader) -> None:
    three = held_out_digit(rollout.DEFAULT_DIGIT)
    assert three.label == 3 and looked(reader, three).probabilities.argmax() == 3
    patch = 1 * reader.n_side + 1
    assert patch_effect.ink(torch.from_numpy(three.shades), 2)[0, patch] < 0.05
    assert rollout.effect(reader, three, "removed").argmax() == patch
    said = int(hide.answer(reader, three, (patch,), "removed").argmax())
    assert said != 3


def test_painting_a_bare_patch_changes_nothing_and_leaving_it_out_can(reader: Reader) -> None:
    bare = ink_of(reader) == 0
    assert np.abs(rollout.held_out_effects(reader, "painted")[bare]).max() < 1e-6
    removed = np.abs(rollout.held_out_effects(reader, "removed"))
    assert (np.where(bare, removed, 0).max(1) > 1).sum() > 30
    found = rollout.compared(reader, 0.5)
    assert found.n == 360 and found.n_empty == np.take_along_axis(bare, removed.argmax(1)[:, None], 1).sum() > 50


def test_rollout_guides_where_tokens_are_left_out_and_ink_where_they_are_painted(reader: Reader) -> None:
    found = rollout.compared(reader, 0.5).correlation
    assert found["rollout"]["removed"] > 0.4 and found["ink"]["removed"] < -0.1
    assert found["rollout"]["painted"] < 0.1 and found["ink"]["painted"] > 0.8
    assert rollout.compared(reader, 0.0).correlation["rollout"]["removed"] < found["rollout"]["removed"] - 0.05
    assert np.isnan(rollout.compared(reader, 1.0).correlation["rollout"]["removed"])
    weights = held_out_attention(reader)
    assert not patch_effect.class_rollout(weights, 1.0)[:, :, 1:].any()


def test_most_attended_patches_matter_when_they_are_left_out(reader: Reader) -> None:
    found = hide.accuracies(reader, "removed")
    assert (
        patch_effect.counts(16) == list(patch_effect.SHARES)
        and patch_effect.counts(4) == [0, 1, 2, 3, 4]
        and patch_effect.counts(64)[3] == 12
    )
    assert found[MOST][3] < 0.5 and found[LEAST][3] > 0.9  # SHARES[3] is 3
    assert all(found[MOST][k] < found[RANDOM][k] < found[LEAST][k] for k in range(1, 9))


def test_least_attended_patches_matter_at_first_when_they_are_painted(reader: Reader) -> None:
    found = hide.accuracies(reader, "painted")
    assert all(found[LEAST][k] < found[RANDOM][k] < found[MOST][k] for k in (2, 3, 4))
    weights = held_out_attention(reader)
    first = np.argsort(-patch_effect.class_rollout(weights)[:, -1, 1:], axis=1)[:, :3]
    ink = np.take_along_axis(ink_of(reader), first, 1)
    assert (ink < 0.1).mean() > 0.3  # "much of it is bare paper"


def test_without_any_patch_it_says_one_digit_for_all(reader: Reader) -> None:
    nothing = tuple(range(16))
    for way in patch_effect.WAYS:
        answers = [hide.answer(reader, held_out_digit(i), nothing, way) for i in (0, 1, 2)]
        np.testing.assert_allclose(answers[0], answers[1], atol=1e-6)
        assert answers[0].max() > 0.5
        assert all(curve[-1] == 0.1 for curve in hide.accuracies(reader, way).values())
