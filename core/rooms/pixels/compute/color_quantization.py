"""What a palette costs and what it leaves: ids, pixels of each color, error, bits."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.rooms.pixels.compute.palette import Distortion, Palette, distortion

SIZES = tuple(2**n for n in range(1, 10))  # colors
BITS_OF_A_PIXEL = 24  # eight for each of red, green and blue


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


def table(found: Mapping[str, Sequence[Quantised]]) -> dict[str, list[Any]]:
    """One picture in palettes of all `SIZES`, by what they were learned on."""
    lines = [(source, n_color, one) for source, some in found.items() for n_color, one in zip(SIZES, some, strict=True)]
    return {
        "palette learned on": [source for source, _, _ in lines],
        "colors": [n_color for _, n_color, _ in lines],
        "bits per pixel": [n_color.bit_length() - 1 for _, n_color, _ in lines],
        "mean squared error": [one.distortion.squared for _, _, one in lines],
        "root mean square": [one.distortion.root for _, _, one in lines],
        "peak signal to noise (dB)": [one.distortion.decibel for _, _, one in lines],
    }


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
