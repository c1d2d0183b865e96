"""Palettes: k-means against scikit-learn over every pixel, even ones, closed forms, and what rounding costs."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as arrays

from core.data import images
from core.rooms.pixels import quantise
from core.rooms.pixels.quantise import (
    Palette,
    count_picture_bits,
    even_palette,
    learn_palette,
    measure_distortion,
    quantize_picture,
)

SOME = arrays.arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 3])))


@pytest.fixture(scope="module")
def china() -> Any:
    return quantise.shrink_picture(images.load_sample_photograph("china"), 160)


def inertia(pixels: Any, palette: Palette) -> float:
    flat = pixels.reshape(-1, pixels.shape[-1]).astype(np.float64)
    return float(((flat - palette.colors[palette.to_ids(flat)]) ** 2).sum())


@pytest.mark.parametrize("n_color", [4, 32, 256])
def test_what_is_learned_is_as_good_as_k_means_over_every_pixel_until_it_stands_still(china: Any, n_color: int) -> None:
    """Ours looks at each color once, weighted, stops early, and has several starts."""
    from sklearn.cluster import KMeans

    theirs = KMeans(n_color, n_init=1, random_state=0, max_iter=100).fit(china.reshape(-1, 3).astype(np.float32))
    palette = learn_palette(china, n_color, 0)
    assert inertia(china, palette) < 1.02 * theirs.inertia_
    ids, flat = palette.to_ids(china).ravel(), china.reshape(-1, 3).astype(np.float64)
    moves = [flat[ids == k].mean(0) - palette.colors[k] for k in range(n_color)]  # by one more round
    assert np.abs(moves).max() < 1
    drawn = china.reshape(-1, 3)[np.random.default_rng(0).choice(china.size // 3, n_color, False)]
    if n_color < 256:  # colors drawn blindly and never moved are far worse
        assert inertia(china, Palette(drawn.astype(np.float32))) > 1.3 * theirs.inertia_


@pytest.mark.parametrize("scale", [1.0, 0.5, 300.0, -1.0])
def test_pixels_on_any_scale_are_counted_alike(china: Any, scale: float) -> None:
    colors = np.array([[0, 0, 255], [0, 1, 0], [255, 255, 255]], np.float32) * np.float32(scale)
    palette = learn_palette(colors[[0, 1, 1, 2, 0]], 8, 0)
    assert {tuple(one) for one in palette.colors.tolist()} == {tuple(one) for one in colors.tolist()}
    scaled = china.astype(np.float32) * np.float32(scale)
    as_it_is = inertia(china, learn_palette(china, 32, 0))
    assert inertia(scaled, learn_palette(scaled, 32, 0)) / scale**2 == pytest.approx(
        as_it_is, rel=0.05
    )  # from other starts


def test_every_seed_finds_the_four_colors_of_the_flower() -> None:
    flower = quantise.shrink_picture(images.load_sample_photograph("flower"), 160)
    found = [inertia(flower, learn_palette(flower, 4, seed)) for seed in range(4)]
    assert max(found) < 1.01 * min(found)
    assert np.array_equal(learn_palette(flower, 4, 3).colors, learn_palette(flower, 4, 3).colors)


@settings(max_examples=60)
@given(SOME, st.integers(1, 12), st.integers(0, 3))
def test_any_pixels(pixels: Any, n_color: int, seed: int) -> None:
    palette = learn_palette(pixels, n_color, seed)
    distinct = np.unique(pixels.reshape(-1, pixels.shape[-1]), axis=0)
    assert len(palette) == min(n_color, len(distinct)) and np.isfinite(palette.colors).all()
    ids = palette.to_ids(pixels)
    all_distances = ((pixels.reshape(-1, 1, pixels.shape[-1]).astype(np.float64) - palette.colors) ** 2).sum(-1)
    chosen = np.take_along_axis(all_distances, ids.reshape(-1, 1), 1)[:, 0]
    assert (chosen <= all_distances.min(1) + 0.05).all()  # float32
    if len(palette) == len(distinct):
        assert (
            np.array_equal(palette.to_pixels(ids), pixels)
            and measure_distortion(pixels, palette.to_pixels(ids)).root == 0
        )
    light = palette.colors @ ([0.299, 0.587, 0.114] if pixels.shape[-1] == 3 else [1.0])
    assert (np.diff(light) >= -1e-3).all()


@pytest.mark.parametrize(("n_bit", "levels"), [(1, (1, 2, 1)), (2, (2, 2, 1)), (8, (8, 8, 4)), (9, (8, 8, 8))])
def test_evenly_spaced_colors(n_bit: int, levels: tuple[int, int, int]) -> None:
    palette = even_palette(n_bit)
    assert len(palette) == 2**n_bit
    assert tuple(len(np.unique(channel)) for channel in palette.colors.T) == levels
    assert np.allclose(palette.colors.mean(0), 127.5)
    if n_bit == 9:  # the middle of each cell: what cutting off five bits and adding half a cell gives
        pixels = np.arange(256, dtype=np.uint8).repeat(3).reshape(-1, 3)
        assert np.allclose(palette.colors[palette.to_ids(pixels)], (pixels // 32) * 32 + 15.5)


def test_distortion() -> None:
    black, gray = np.zeros((2, 2, 3), np.uint8), np.full((2, 2, 3), 10, np.uint8)
    found = measure_distortion(black, gray)
    assert (found.squared, found.root) == (100, 10) and math.isclose(found.decibel, 20 * math.log10(25.5))
    assert measure_distortion(gray, gray).decibel == math.inf


def test_pictures_are_made_smaller_by_means() -> None:
    checks = (np.indices((8, 12)).sum(0) % 2 * 200).astype(np.uint8)[..., None].repeat(3, 2)
    assert (quantise.shrink_picture(checks, 6) == 100).all() and quantise.shrink_picture(checks, 6).shape == (4, 6, 3)
    assert quantise.shrink_picture(checks, 12) is checks
    assert quantise.shrink_picture(np.zeros((1, 900, 3), np.uint8), 160).shape == (1, 160, 3)


def test_bits(china: Any) -> None:
    cost = count_picture_bits(100, 512)
    assert (cost.per_pixel, cost.ids, cost.palette, cost.before) == (9, 900, 12_288, 2_400)
    assert count_picture_bits(7, 1).ids == 0
    found = quantize_picture(china, learn_palette(china, 512, 0))
    assert len(found.counts) == 512 and found.counts.sum() == found.ids.size == 160 * 107


def test_what_does_not_fit_is_refused() -> None:
    dots = np.zeros((2, 2, 3), np.uint8)
    for refuse, words in (
        (lambda: learn_palette(np.zeros((0, 3)), 4), "both must be at least 1"),
        (lambda: learn_palette(np.zeros((4, 3)), 0), "0 colors"),
        (lambda: even_palette(3).to_ids(np.zeros((4, 4), np.uint8)), "have not 3 channels"),
        (lambda: measure_distortion(dots, dots[:1]), "cannot be compared"),
    ):
        with pytest.raises(ValueError, match=words):
            refuse()
