"""The pictures that are on every machine: the same as scikit-learn gives, and split once for all models."""

from pathlib import Path

import numpy as np
import pytest

from core.data import images
from core.data.images.picture_file import PictureRefused


def test_digits_are_those_of_scikit_learn() -> None:
    from sklearn.datasets import load_digits

    theirs, ours = load_digits(), images.load_digits()
    np.testing.assert_array_equal(ours.pixels, theirs.images)
    np.testing.assert_array_equal(ours.labels, theirs.target)
    assert ours.pixels.dtype == np.uint8 and ours.pixels.shape == (1_797, 8, 8) and len(ours) == 1_797
    assert ours.pixels.max() == 16 and ours.pixels.min() == 0 == images.load_digits().shades.min()
    assert images.N_LEVEL == 17


@pytest.mark.parametrize("name", images.PHOTOGRAPHS)
def test_photographs_are_those_of_scikit_learn(name: str) -> None:
    from sklearn.datasets import load_sample_image

    ours = images.load_sample_photograph(name)
    np.testing.assert_array_equal(ours, load_sample_image(f"{name}.jpg"))
    assert ours.shape == (427, 640, 3) and ours.dtype == np.uint8


def test_another_photograph_is_refused() -> None:
    for name in ("x", "../china", "china.jpg", ""):
        with pytest.raises(ValueError, match="there are china, flower"):
            images.load_sample_photograph(name)


def test_the_split_takes_36_of_each_digit_and_shares_none() -> None:
    learn, held = images.digit_split_indices()
    assert len(held) == 360 and len(learn) == 1_437 and not set(learn) & set(held)
    assert sorted([*learn, *held]) == list(range(1_797))
    assert (np.diff(held) > 0).all() and (np.diff(learn) > 0).all()
    assert np.bincount(images.held_out_digits().labels).tolist() == [36] * 10
    np.testing.assert_array_equal(images.held_out_digits().pixels, images.load_digits().pixels[held])
    np.testing.assert_array_equal(images.training_digits().labels, images.load_digits().labels[learn])


def test_shades_are_what_models_read() -> None:
    some = images.load_digits().some(np.array([3, 1]))
    assert some.labels.tolist() == [3, 1]
    assert some.shades.shape == (2, 1, 8, 8) and some.shades.dtype == np.float32 and some.shades.max() == 1
    np.testing.assert_array_equal(some.shades[:, 0] * 16, some.pixels)
    np.testing.assert_array_equal(images.scale_digits(some.pixels[1]), some.shades[1:])


def test_nobody_can_change_them() -> None:
    for array in (
        images.load_digits().pixels,
        images.load_digits().labels,
        *images.digit_split_indices(),
        images.load_sample_photograph("china"),
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_picture_of_ones_own_is_read_from_its_file(tmp_path: Path) -> None:
    from PIL import Image

    pixels = images.load_sample_photograph("flower")[:40, :60]
    Image.fromarray(pixels).save(tmp_path / "flower.png")
    np.testing.assert_array_equal(images.read_picture(tmp_path / "flower.png"), pixels)
    (tmp_path / "none.png").write_bytes(b"none")
    with pytest.raises(PictureRefused, match=r"none\.png"):
        images.read_picture(tmp_path / "none.png")
