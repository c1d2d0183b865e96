"""A palette: a picture's colors rounded to a few, which are found by k-means.

A pixel of 24 bits is one of 16.8 million colors, far too many for a vocabulary. Rounded to a palette of 512 it takes 9
bits, and one pixel is one token. Shades of gray are colors with one number.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.images import LUMA

N_ROUND = 50  # of Lloyd's algorithm at most: later ones gain less than a percent
N_TRIED = 4  # colors drawn for each first color, of which the best one stays
N_START, FEW = 4, 16  # up to 16 colors a bad start can end badly: the best of four is taken
STOPS_BELOW = 1e-4  # a round that gains less than this share of the error is the last
PEAK = 255.0
_AT_ONCE = 1 << 18  # distances computed at once: a megabyte, which stays in the processor's cache


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
        flat = _rows(pixels, self.colors.shape[1])
        return _nearest(flat, self.colors)[0].reshape(np.shape(pixels)[:-1])

    def to_pixels(self, ids: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
        """(..., C) the colors of ids (...), rounded to whole numbers as screens take them."""
        return np.clip(np.rint(self.colors), 0, PEAK).astype(np.uint8)[ids]


def learn(pixels: NDArray[Any], n_color: int, seed: int = 0) -> Palette:
    """The palette of `n_color` colors whose squared distance to the pixels is small: k-means in the space of colors.

    Begins with colors drawn from the pixels, the chance of each its squared distance to those drawn before; of four
    drawn the one stays that leaves the least error. Then in turn each pixel goes to its nearest color, and each color
    to the mean of its pixels. A color that no pixel chose moves to the pixel that is worst off.

    Args:
        pixels: (..., C) numbers from 0 to 255, or any other scale.
        n_color: at most as many as there are different pixels; of fewer different ones each is a color of its own.

    Raises:
        ValueError: if there is no pixel, or no color is asked for.

    Source: Chen et al. 2020, Generative Pretraining from Pixels, section 3.2 (k-means with 512 colors in RGB); the
    rounds: Lloyd 1982; the start: Arthur and Vassilvitskii 2007, k-means++.
    """
    flat = _rows(pixels, np.shape(pixels)[-1])
    if n_color < 1 or not len(flat):
        raise ValueError(f"{n_color} colors cannot be learned from {len(flat)} pixels; both must be at least 1")
    distinct, count = _distinct(flat)
    if len(distinct) <= n_color:
        return Palette(_dark_to_light(distinct))
    rng = np.random.default_rng(seed)
    found = [_rounds(distinct, count, n_color, rng) for _ in range(N_START if n_color <= FEW else 1)]
    return Palette(_dark_to_light(min(found, key=lambda one: one[1])[0]))


def _rounds(
    pixels: NDArray[np.float32], count: NDArray[np.int64], n_color: int, rng: np.random.Generator
) -> tuple[NDArray[np.float32], float]:
    """(K, C) colors from one start, and the sum of their squared distances."""
    colors, before = _spread_out(pixels, count, n_color, rng), np.inf
    for _ in range(N_ROUND):
        ids, squared = _nearest(pixels, colors)
        error = float(squared @ count)
        if before - error <= STOPS_BELOW * error:
            break
        before = error
        colors = _means(pixels, count, ids, squared, n_color)
    return colors, error


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


def _rows(pixels: NDArray[Any], n_channel: int) -> NDArray[np.float32]:
    """(N, C) of pixels (..., C)."""
    array = np.asarray(pixels, np.float32)
    if array.ndim < 2 or array.shape[-1] != n_channel:
        raise ValueError(f"pixels of shape {array.shape} have not {n_channel} channels, as the colors have")
    return array.reshape(-1, n_channel)


def _distinct(pixels: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """(N, C) the different pixels, and how often each occurs."""
    whole = pixels.shape[1] <= 3 and pixels.min() >= 0 and pixels.max() <= PEAK and not (pixels % 1).any()
    if whole:  # ten times as fast: one number stands for all channels
        numbers = pixels.astype(np.int64) @ (256 ** np.arange(pixels.shape[1])[::-1])
        _, first, count = np.unique(numbers, return_index=True, return_counts=True)
        return pixels[first], count
    distinct, count = np.unique(pixels, axis=0, return_counts=True)
    return distinct, count


def _nearest(pixels: NDArray[np.float32], colors: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The nearest color of each pixel, and the squared distance to it."""
    ids = np.empty(len(pixels), np.int64)
    # |x - c|^2 / 2 = |x|^2 / 2 - x c + |c|^2 / 2, and |x|^2 is the same for all colors: the rest is one product.
    ones = np.ones((len(pixels), 1), np.float32)
    left, right = np.hstack([pixels, ones]), np.hstack([-colors, (colors**2).sum(1, keepdims=True) / 2]).T  # (C + 1, K)
    step = max(1, _AT_ONCE // len(colors))
    for start in range(0, len(pixels), step):
        ids[start : start + step] = np.argmin(left[start : start + step] @ right, 1)
    off = pixels - colors[ids]
    return ids, np.einsum("nc,nc->n", off, off).astype(np.float64)


def _spread_out(
    pixels: NDArray[np.float32], count: NDArray[np.int64], n_color: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """(K, C) the first colors, drawn one after the other, far ones more likely; of a few drawn the best one stays."""
    weight = count.astype(np.float32)
    length = (pixels**2).sum(1)  # (N,) |x|^2, for |x - c|^2 = |x|^2 - 2 x c + |c|^2

    def squared_to(which: Any) -> NDArray[np.float32]:
        """(M, N) squared distances of some pixels to all; those that the rounding makes negative are 0."""
        squared = np.maximum(length - 2 * (pixels[which] @ pixels.T) + length[which][:, None], 0)
        squared[np.arange(len(which)), which] = 0  # not the noise of the rounding: it must not be drawn again
        return squared

    drawn = [int(rng.choice(len(pixels), p=count / count.sum()))]
    squared = squared_to(drawn)[0]  # (N,) to the nearest color drawn so far
    while len(drawn) < n_color:
        chances = np.cumsum(squared * weight, dtype=np.float64)
        tried = np.searchsorted(chances, rng.random(N_TRIED) * chances[-1], side="right").clip(max=len(pixels) - 1)
        after = np.minimum(squared, squared_to(tried))  # (N_TRIED, N)
        best = int(np.argmin(after @ weight))
        drawn.append(int(tried[best]))
        squared = after[best]
    return pixels[drawn]


def _means(
    pixels: NDArray[np.float32],
    count: NDArray[np.int64],
    ids: NDArray[np.int64],
    squared: NDArray[np.float64],
    n_color: int,
) -> NDArray[np.float32]:
    """(K, C) the mean of each color's pixels."""
    n_pixel = np.bincount(ids, count, n_color)
    sums = np.stack([np.bincount(ids, count * channel, n_color) for channel in pixels.T], 1)
    colors = (sums / np.maximum(n_pixel, 1)[:, None]).astype(np.float32)
    unused = np.flatnonzero(n_pixel == 0)
    if len(unused):
        colors[unused] = pixels[np.argsort(-squared, kind="stable")[: len(unused)]]
    return colors


def _dark_to_light(colors: NDArray[np.float32]) -> NDArray[np.float32]:
    """In the order of their brightness."""
    light = colors @ np.array(LUMA, np.float32) if colors.shape[1] == 3 else colors.sum(1)
    return np.ascontiguousarray(colors[np.argsort(light, kind="stable")])
