"""A palette: a picture's colors rounded to a few, which are found by k-means.

A pixel of 24 bits is one of 16.8 million colors, far too many for a vocabulary. Rounded to a palette of 512 it takes 9
bits, and one pixel is one token. Shades of gray are colors with one number.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.images import LUMA

N_ROUND = 50  # of Lloyd's algorithm at most: later ones gain less than a percent
N_START, FEW = 4, 16  # up to 16 colors a bad start can end badly: the best of four is taken
STOPS_BELOW = 1e-3  # a round that moves the colors by less, as a share of the pixels' variance, is the last
PEAK = 255.0
SIZES = tuple(2**n for n in range(1, 10))  # colors
BITS_OF_A_PIXEL = 24  # eight for each of red, green and blue


@dataclass(frozen=True)
class Palette:
    """The colors that a picture may have; a color's row is its id."""

    colors: NDArray[np.float32]  # (K, C) float32, from dark to light; C = 3 for red, green and blue, 1 for gray

    def __len__(self) -> int:
        return len(self.colors)

    def to_ids(self, pixels: NDArray[Any]) -> NDArray[np.int64]:
        """(...) the id of the nearest color of each pixel (..., C): the smallest squared distance; of equals the first.

        Raises:
            ValueError: if the pixels have another number of channels than the colors.
        """
        # Here, because it takes a second to import.
        from sklearn.metrics import pairwise_distances_argmin  # type: ignore[import-untyped]

        nearest: NDArray[np.int64] = pairwise_distances_argmin(_rows(pixels, self.colors.shape[1]), self.colors)
        return nearest.reshape(np.shape(pixels)[:-1])

    def to_pixels(self, ids: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
        """(..., C) the colors of ids (...), rounded to whole numbers as screens take them."""
        return np.clip(np.rint(self.colors), 0, PEAK).astype(np.uint8)[ids]


def learn(pixels: NDArray[Any], n_color: int, seed: int = 0) -> Palette:
    """The palette of `n_color` colors whose squared distance to the pixels is small: k-means in the space of colors.

    Args:
        pixels: (..., C) numbers from 0 to 255, or any other scale.
        n_color: at most as many as there are different pixels; of fewer different ones each is a color of its own.

    Raises:
        ValueError: if there is no pixel, or no color is asked for.

    Source: Chen et al. 2020, Generative Pretraining from Pixels, section 3.2 (k-means with 512 colors in RGB);
    computed by scikit-learn (Lloyd 1982, from a start by k-means++, Arthur and Vassilvitskii 2007).
    """
    flat = _rows(pixels, np.shape(pixels)[-1])
    if n_color < 1 or not len(flat):
        raise ValueError(f"{n_color} colors cannot be learned from {len(flat)} pixels; both must be at least 1")
    from sklearn.cluster import KMeans  # type: ignore[import-untyped]
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    colors, count = np.unique(flat, axis=0, return_counts=True)
    if len(colors) > n_color:
        starts = N_START if n_color <= FEW else 1
        means = KMeans(n_color, n_init=starts, max_iter=N_ROUND, tol=STOPS_BELOW, random_state=seed)
        with threadpool_limits(1, user_api="openmp"):  # sums in a fixed order: a seed gives one palette
            colors = means.fit(colors, sample_weight=count).cluster_centers_
    return Palette(_dark_to_light(colors))


def even(n_bit: int) -> Palette:
    """The palette of 2^n_bit colors that knows no picture: evenly spaced, the bits dealt to green, red, blue in turn.

    Nine bits are 8 x 8 x 8 colors; eight are the old 3-3-2, 8 of red, 8 of green and 4 of blue. Each color stands in
    the middle of its cell.
    """
    green, red, blue = ((n_bit + more) // 3 for more in (2, 1, 0))
    axes = [(np.arange(2**bits) + 0.5) * (PEAK + 1) / 2**bits - 0.5 for bits in (red, green, blue)]
    return Palette(_dark_to_light(np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3).astype(np.float32)))


@dataclass(frozen=True)
class Distortion:
    """How far a rounded picture is from the picture."""

    squared: float  # mean over all pixels and channels of the squared difference
    root: float  # its root, in levels of 0 to 255
    decibel: float  # 20 log10(255 / root), the peak signal-to-noise ratio; inf where nothing differs


def distortion(pixels: NDArray[Any], rounded: NDArray[Any]) -> Distortion:
    """How far one picture is from another of the same shape, levels from 0 to 255.

    Raises:
        ValueError: if the shapes differ.
    """
    if np.shape(pixels) != np.shape(rounded):
        raise ValueError(f"pictures of shapes {np.shape(pixels)} and {np.shape(rounded)} cannot be compared")
    squared = float(np.mean((np.asarray(pixels, np.float64) - np.asarray(rounded, np.float64)) ** 2))
    root = squared**0.5
    return Distortion(squared, root, float(20 * np.log10(PEAK / root)) if root else float("inf"))


@dataclass(frozen=True)
class Quantised:
    """A picture in the colors of a palette."""

    palette: Palette  # of K colors
    ids: NDArray[np.int64]  # (Y, X) which color each pixel has
    pixels: NDArray[np.uint8]  # (Y, X, 3) uint8, these colors
    counts: NDArray[np.int64]  # (K,) pixels of each color
    distortion: Distortion  # how far it is from the picture


def quantised(pixels: NDArray[np.uint8], palette: Palette) -> Quantised:
    """Round a picture (Y, X, 3) to the nearest colors of a palette."""
    ids = palette.to_ids(pixels)
    rounded = palette.to_pixels(ids)
    return Quantised(
        palette, ids, rounded, np.bincount(ids.ravel(), minlength=len(palette)), distortion(pixels, rounded)
    )


@dataclass(frozen=True)
class Bits:
    """What a picture takes."""

    per_pixel: float  # log2 of the number of colors
    ids: float  # all pixels together
    palette: int  # the colors themselves, written once
    before: int  # all pixels with 24 bits each


def bits(n_pixel: int, n_color: int) -> Bits:
    """What n_pixel pixels take in n_color colors, each pixel as likely to have any of them."""
    per_pixel = math.log2(n_color)
    return Bits(per_pixel, n_pixel * per_pixel, n_color * BITS_OF_A_PIXEL, n_pixel * BITS_OF_A_PIXEL)


def _rows(pixels: NDArray[Any], n_channel: int) -> NDArray[np.float32]:
    """(N, C) of pixels (..., C)."""
    array = np.asarray(pixels, np.float32)
    if array.ndim < 2 or array.shape[-1] != n_channel:
        raise ValueError(f"pixels of shape {array.shape} have not {n_channel} channels, as the colors have")
    return array.reshape(-1, n_channel)


def _dark_to_light(colors: NDArray[np.float32]) -> NDArray[np.float32]:
    """In the order of their brightness."""
    light = colors @ np.array(LUMA, np.float32) if colors.shape[1] == 3 else colors.sum(1)
    return np.ascontiguousarray(colors[np.argsort(light, kind="stable")])
