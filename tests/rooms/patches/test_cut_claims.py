"""What the room says about patches, positions and shuffling is so, computed from the record that ships."""

import numpy as np
import pytest

from core.data import images
from core.inspect.pictures import Picture, held_out_digit
from core.models.configs.presets import PRESETS
from core.models.vit import ViTConfig
from core.rooms.patches import cut, shuffle, similarity
from core.rooms.patches.compute import patch_embedding
from core.rooms.patches.compute.position_maps import GROUPS
from core.rooms.patches.experiments import digits
from core.train import experiment
from core.train.live import Live
from core.ui.training import live
from core.ui.training.digit_reader import Reader, reader_of
from core.ui.training.trained_models import trained


@pytest.fixture(scope="module")
def shown() -> Live:
    found = live.example("digits")
    assert found is not None and found.options == vars(experiment.options_of("digits", {})) and found.is_done
    return found


@pytest.fixture(scope="module")
def reader(shown: Live) -> Reader:
    return reader_of(shown)


def test_the_numbers_of_the_cut(shown: Live) -> None:
    found = cut.cut_of(cut.Asked(held_out_digit(3), digits.config(), trained(shown), 0))
    assert found.rows.shape == (16, 4) and found.projected.shape == (16, 48) and found.embedded.shape == (17, 48)
    photo = Picture("photo", "a photograph", images.photograph("china"))
    for seed in (0, 1):
        drawn = cut.cut_of(cut.Asked(photo, cut._drawn_config(224, 16, 3), None, seed))
        assert drawn.rows.shape == (196, 768) and drawn.embedded.shape == (197, 48) and drawn.convolution < 1e-5
        assert drawn.positions.std() == pytest.approx(0.02, rel=0.05)
    assert ViTConfig(patch_size=1).n_patch == 64 and 14.5 < (65 / 17) ** 2 < 15
    sizes = [one.config for one in PRESETS.values() if one.family == "ViT"]
    widths = [(one.n_channel * one.patch_size**2, one.d_model) for one in sizes]
    assert widths == [(768, 192), (768, 384), (768, 768), (768, 1024), (588, 1280)]
    assert [1 + one.n_patch for one in sizes] == [197, 197, 197, 197, 257]
    assert sizes[-1].n_patch == 16 * 16 and sizes[-1].patch_size == 14 and sizes[0].n_patch == 14 * 14


def test_the_grid_is_found(shown: Live) -> None:
    before = similarity.first_maps(digits.Options(**shown.options), shown.seed)
    after = similarity.learned_maps(trained(shown))
    off = ~np.eye(16, dtype=bool)
    assert np.abs(before.groups).max() < 0.1 and np.abs(before.cosine[off]).max() < 0.5
    by_name = dict(zip(GROUPS, after.groups, strict=True))
    assert max(by_name, key=by_name.__getitem__) == "left or right of it" and by_name["left or right of it"] > 0.15
    assert by_name["farther in its column"] < -0.05 and by_name["elsewhere"] < -0.05
    assert after.beside >= 10 > before.beside and after.n_as_good <= 5 < before.n_as_good
    assert after.found > 0.3 > 0.2 > before.found


def test_the_bag_has_no_order(reader: Reader) -> None:
    """What becomes of it with patches of 4 x 4 is in tests/rooms/patches/test_digits_learning.py."""
    n = len(images.held_out())
    every = patch_embedding.swapped(16, 8, 0)
    for order in (every, patch_embedding.swapped(16, 3, 5)):
        assert shuffle.n_right(reader, "bag", order) == shuffle.n_right(reader, "bag", None)
        for number in (0, 3, 77, 200):
            bag, vit = (shuffle.reordered(reader, variant, held_out_digit(number), order) for variant in ("bag", "vit"))
            assert bag.change < 2e-5 and vit.change > 0.1
    assert 0.4 < shuffle.n_right(reader, "bag", None) / n < 0.65  # about half
    assert shuffle.n_right(reader, "vit", None) / n > 0.97
    assert shuffle.n_right(reader, "vit", every) / n < 0.25
