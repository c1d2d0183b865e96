"""What the room says about patches, positions and shuffling is so, computed from the record that ships."""

import numpy as np
import pytest

from core.inputs import SHOW
from core.inspect.reading.pictures import held_out_digit
from core.models.configs.presets import PRESETS
from core.models.vit import ViTConfig
from core.rooms.patches import cut, shuffle, similarity
from core.rooms.patches.compute.position_maps import GROUPS


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


def test_the_grid_is_found() -> None:
    found = similarity.compute(similarity.Inputs())
    before, after = found.before, found.after
    off = ~np.eye(16, dtype=bool)
    assert np.abs(before.groups).max() < 0.1 and np.abs(before.cosine[off]).max() < 0.5
    by_name = dict(zip(GROUPS, after.groups, strict=True))
    assert max(by_name, key=by_name.__getitem__) == "left or right of it" and by_name["left or right of it"] > 0.15
    assert by_name["farther in its column"] < -0.05 and by_name["elsewhere"] < -0.05
    assert after.beside >= 10 > before.beside and after.n_as_good <= 5 < before.n_as_good
    assert after.found > 0.3 > 0.2 > before.found


def test_the_bag_has_no_order() -> None:
    """What becomes of it with patches of 4 x 4 is in tests/rooms/patches/test_digits_learning.py."""
    every = shuffle.compute(shuffle.Inputs(guess=SHOW))
    for number in (0, 3, 77, 200):
        found = shuffle.compute(shuffle.Inputs(guess=SHOW, pairs=3, seed=5, picture=held_out_digit(number)))
        assert found.both["bag"].change < 2e-5 and found.both["ViT"].change > 0.1
        assert found.scores["bag"].before == found.scores["bag"].after == every.scores["bag"].after
    assert 0.4 < every.scores["bag"].before / every.n < 0.65  # about half
    assert every.scores["ViT"].before / every.n > 0.97 and every.scores["ViT"].after / every.n < 0.25
