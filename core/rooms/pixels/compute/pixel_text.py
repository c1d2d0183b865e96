"""A digit as a sequence: its 64 pixels rounded to a few gray levels and written in one of two orders."""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core.data import images
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

DIGIT_SIDE = 8
N_PIXEL = DIGIT_SIDE * DIGIT_SIDE
PIXEL_ORDERS = ("raster", "column")
ORDER_TITLES: Mapping[str, str] = {"raster": LABELS["order.raster"], "column": LABELS["order.column"]}


def pixel_order(name: str) -> NDArray[np.int64]:
    """Return (64,) the pixel numbers in the order in which they are written; pixel 8 y + x is in row y, column x.

    Args:
        name: "raster", row by row from the top, as people read; "column", column by column from the left.

    Raises:
        ValueError: if no order has this name.
    """
    numbers = np.arange(N_PIXEL).reshape(DIGIT_SIDE, DIGIT_SIDE)
    if name == "raster":
        return numbers.ravel()
    if name == "column":
        return numbers.T.ravel()
    raise ValueError(f"there is no order {name!r:.40}; there are {', '.join(PIXEL_ORDERS)}")


def to_ids(shades: Float[Tensor, "N 1 8 8"], n_level: int, name: str = "raster") -> Int[Tensor, "N 64"]:
    """Return each pixel's gray level, 0 (paper) to n_level - 1 (full ink) in even steps, in the order of this name.

    Args:
        shades: from 0, paper, to 1, full ink.
        n_level: number of levels, at least 2.

    Raises:
        ValueError: if n_level is below 2 or no order has this name.
    """
    if n_level < 2:
        raise ValueError(f"{n_level} levels of gray are no picture: at least 2 are needed")
    levels = (shades.flatten(1) * (n_level - 1)).round().clamp(0, n_level - 1).long()
    return levels[:, torch.from_numpy(pixel_order(name))]


def digit_sequences(n_level: int, name: str = "raster") -> tuple[Int[Tensor, "1437 64"], Int[Tensor, "360 64"]]:
    """Return the training digits and the held-out ones as sequences in the order of this name."""
    learn, held = (
        to_ids(torch.from_numpy(some.shades), n_level, name)
        for some in (images.training_digits(), images.held_out_digits())
    )
    return learn, held


def to_shades(ids: Int[Tensor, "N 64"], n_level: int, name: str = "raster") -> Float[Tensor, "N 1 8 8"]:
    """Return the pictures of these sequences: the inverse of `to_ids`, up to rounding to levels."""
    flat = torch.empty(ids.shape, dtype=torch.float32)
    flat[:, torch.from_numpy(pixel_order(name))] = ids.float() / (n_level - 1)
    return flat.view(-1, 1, DIGIT_SIDE, DIGIT_SIDE)


def to_pixels(ids: ArrayLike, n_level: int, name: str = "raster") -> NDArray[np.uint8]:
    """Return (N, 8, 8) the pictures of sequences (N, 64) on the scale of the digits data: 0 (paper) to 16 (ink)."""
    shades = to_shades(torch.tensor(np.asarray(ids)), n_level, name)
    return (shades[:, 0] * (images.N_LEVEL - 1)).round().to(torch.uint8).numpy()
