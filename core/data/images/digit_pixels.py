"""Conversion of a picture or a drawing to a digit of 8 x 8 pixels, much as the training digits were made.

Those were cut out of forms, scaled to bitmaps of 32 x 32 points, and counted in squares of 4 x 4. All of them touch the
first and the last row, nine of ten leave both outer columns of the eight almost blank, and two of three have ink at 290
to 368 of the 1,024 points. A picture that is prepared differently looks unlike anything that the model has seen.

The drawing canvas runs the same steps as `_to_cells`, with the same whole numbers, while somebody draws
(`assets/widgets/pictures/canvas_math.js`).

Source: Garris et al. 1994, NIST Form-Based Handprint Recognition System (NISTIR 5469); Alpaydin and Kaynak
1998, Optical Recognition of Handwritten Digits.
"""

import re

import numpy as np
from numpy.typing import NDArray

from core.data.images import LUMA
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

SIDE = 32  # rows and columns of the bitmap that is counted
MOST_COLUMNS = 20
MOST_STRETCH = 2  # of the height relative to the width, so that a dash stays a dash
LEAST_INK, MOST_INK = 290, 368  # of 1,024: two of three digits are in between
MOST_STEPS = 6  # by which strokes are made bolder or finer, so that a hairline stays thin
FULL = 255
IS_INK = 64  # of 255: a quarter of a pixel

MOST_SIDE = 256  # a finer picture doesn't help to fill 32 rows
LEAST_CONTRAST = 24  # shades of 255 between paper and ink; less is noise
SPECK = 0.02  # of the largest stroke; smaller islands count as dust
SYMBOLS = "0123456789abcdefg"


class _NoDigit(ValueError):
    """No digit was found in the picture; the message says why."""


def extract_digit_pixels(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Turn a picture of one digit into (8, 8) pixels from 0, paper, to 16, ink.

    The picture has the shape (Y, X, 3) or (Y, X); it may be dark on light or light on dark.

    Raises _NoDigit if nothing is written in the picture.
    """
    return _to_cells(_extract_ink(picture))


def _to_cells(field: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Count ink in 8 x 8 squares: crop to the ink's box, stretch to 32 rows, center, and adjust the stroke width.

    Takes the ink of each pixel (Y, X) from 0, none, to 255, full; returns (8, 8), how many of the 16 points of each
    square are ink. Raises _NoDigit if no pixel is at least a quarter ink.
    """
    is_ink = field >= IS_INK
    rows, columns = np.flatnonzero(is_ink.any(1)), np.flatnonzero(is_ink.any(0))
    if not len(rows):
        raise _NoDigit(LABELS["nothing_drawn"])
    box = field[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].astype(np.int64)
    height, width = box.shape
    n_row = min(SIDE, max(1, _rounded(MOST_STRETCH * MOST_COLUMNS * height, width)))
    n_column = min(MOST_COLUMNS, max(1, _rounded(SIDE * width, height)))
    small = _shares(n_row, height) @ box @ _shares(n_column, width).T
    bitmap = np.zeros((SIDE, SIDE), np.int64)
    top, left = (SIDE - n_row) // 2, (SIDE - n_column) // 2
    bitmap[top : top + n_row, left : left + n_column] = (2 * small + height * width) // (2 * height * width)
    squares = _evenly_bold(bitmap).reshape(8, 4, 8, 4).sum((1, 3))
    return ((2 * squares + FULL) // (2 * FULL)).astype(np.uint8)


def _rounded(above: int, below: int) -> int:
    return (2 * above + below) // (2 * below)


def _shares(n: int, size: int) -> NDArray[np.int64]:
    """Return (n, size), the amount of each of `size` pixels in each of n equal parts, in n-ths of a pixel."""
    part, pixel = np.arange(n)[:, None], np.arange(size)
    return np.clip(np.minimum((part + 1) * size, (pixel + 1) * n) - np.maximum(part * size, pixel * n), 0, None)


def _evenly_bold(bitmap: NDArray[np.int64]) -> NDArray[np.int64]:
    """Make strokes bolder or finer, step by step, until there is as much ink as in most digits.

    The last step may be applied only in part.
    """
    from scipy import ndimage  # type: ignore[import-untyped]

    cross = ndimage.generate_binary_structure(2, 1)  # a point and its four neighbors
    for _ in range(MOST_STEPS):
        total = int(bitmap.sum())
        if LEAST_INK * FULL <= total <= MOST_INK * FULL:
            break
        is_thin = total < LEAST_INK * FULL
        goal = (LEAST_INK if is_thin else MOST_INK) * FULL
        change_stroke = ndimage.grey_dilation if is_thin else ndimage.grey_erosion
        moved = change_stroke(bitmap, footprint=cross, mode="nearest")
        change = int(moved.sum()) - total
        if not change:
            break
        part = min(256, -(-256 * (goal - total) // change))
        bitmap = bitmap + part * (moved - bitmap) // 256
    return bitmap


def _extract_ink(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Separate the ink from the paper.

    The border shows the paper; the pixels that differ most from it, brighter or darker, are ink. Uneven light, from
    one side or fading towards the corners, is removed. So are dust and objects that reach in from the border, such as
    the table under the paper, if there is a digit in the middle.

    Returns the ink of each pixel (Y', X') from 0 to 255, at most 256 pixels in either direction.

    Raises _NoDigit if paper and ink hardly differ.
    """
    gray = picture.astype(np.float64)
    if gray.ndim == 3:
        gray = gray @ np.array(LUMA)
    gray = _smaller(gray)
    level, noise = _fit_paper(gray)
    lit = gray - level
    dark, light = np.percentile(lit, [0.5, 99.5])
    difference = -lit if -dark > light else lit
    difference[_touches_border(difference >= max(LEAST_CONTRAST / 2, _ink_darkness(difference) / 4))] = 0
    most = _ink_darkness(difference)
    if most < LEAST_CONTRAST:
        raise _NoDigit(LABELS("nothing_written", contrast=max(0, most), least=LEAST_CONTRAST))
    noise = min(noise, most / 5)
    field = np.clip((difference - noise) / (most - noise), 0, 1)
    field[field < 0.05] = 0
    return _without_dust(np.floor(field * FULL + 0.5).astype(np.uint8))


def _smaller(gray: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average over squares, so that neither side is longer than 256; each side keeps at least one pixel."""
    for axis in (0, 1):
        n = -(-gray.shape[axis] // MOST_SIDE)
        n = max(n, min(-(-max(gray.shape) // MOST_SIDE), gray.shape[axis]))
        cut = np.arange(0, gray.shape[axis], n)
        counts = np.diff(np.append(cut, gray.shape[axis]))
        gray = np.add.reduceat(gray, cut, axis=axis) / np.expand_dims(counts, 1 - axis)
    return gray


def _without_dust(field: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Remove islands of ink that are much smaller than the largest."""
    from scipy import ndimage

    islands, n = ndimage.label(field >= IS_INK // 2, np.ones((3, 3)))
    if n < 2:
        return field
    sizes = np.bincount(islands.ravel())
    sizes[0] = 0
    near = ndimage.grey_dilation(islands, (3, 3))  # a stroke keeps its soft edge
    return np.where(sizes[near] >= SPECK * sizes.max(), field, 0).astype(np.uint8)


def encode_digit_as_text(cells: NDArray[np.uint8]) -> str:
    """Write a digit as 64 symbols from "0" to "g", row by row, which is short enough for an address."""
    return "".join(SYMBOLS[level] for level in cells.ravel().tolist())


def decode_digit(text: object) -> NDArray[np.uint8]:
    """Read a digit that `encode_digit_as_text` wrote. Raises ValueError if it isn't one, or has no ink."""
    if not isinstance(text, str) or re.fullmatch("[0-9a-g]{64}", text) is None:
        raise ValueError(LABELS("wrong_length", n=len(text)) if isinstance(text, str) else LABELS["wrong_type"])
    if text == "0" * 64:
        raise ValueError(LABELS["blank"])
    return np.array([SYMBOLS.index(symbol) for symbol in text], np.uint8).reshape(8, 8)


EVEN = 4  # shades of 255; for a border that varies less, a plane is enough
NEAR_PAPER = (0.3, 0.3, 0.2, 0.2)  # of the darkest ink, round by round; shades closer to the paper count as paper
LEAST_PAPER = 0.3  # of a picture; with less paper than that, uneven light can't be distinguished from ink
LEAST_HEIGHT = 0.2  # of a picture; writing in its middle is at least this high


def _ink_darkness(difference: NDArray[np.float64]) -> float:
    """Return the darkness of ink, given the difference (Y, X) between each pixel and the paper.

    It is taken from the darkest points, not from a fixed share of the pixels, because thin strokes cover only a small
    part of a picture.
    """
    return float(np.percentile(difference, 99.8)) if difference.size > 4_000 else float(difference.max())


def _fit_paper(gray: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Estimate the shade of the paper (Y, X), and how far most of the paper deviates from it (0 for an even border)."""
    plane, edge = _plane(gray)
    if np.percentile(np.abs(gray - plane)[edge], 90) <= EVEN:
        return plane, 0.0
    return _curved(gray, plane)


def _curved(gray: NDArray[np.float64], level: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Fit the paper's brightness with a quadratic function of the position.

    Each round fits it to the pixels that are close to the previous fit.
    """
    y, x = (np.linspace(-1, 1, n) for n in gray.shape)
    terms = [np.ones(gray.shape), y[:, None] + 0 * x, x + 0 * y[:, None]]
    design = np.stack([*terms, terms[1] ** 2, terms[2] ** 2, terms[1] * terms[2]], -1)  # (Y, X, 6)
    few = (slice(None, None, 3), slice(None, None, 3))  # enough for six numbers
    for share in NEAR_PAPER:
        apart = np.abs(gray - level)
        near = apart <= max(EVEN, share * _ink_darkness(apart))
        if near[few].mean() < LEAST_PAPER:
            break
        level = design @ np.linalg.lstsq(design[few][near[few]], gray[few][near[few]], rcond=None)[0]
    apart = np.abs(gray - level)
    paperlike = apart[apart <= share * _ink_darkness(apart)]  # none in a picture of two pixels
    return level, float(np.percentile(paperlike, 90)) if paperlike.size else 0.0


def _touches_border(dark: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Find the dark parts that touch the border and so don't belong to a digit in the middle.

    Returns (Y, X), True there and up to two pixels around them. All is False if nothing tall is clear of the border.
    """
    from scipy import ndimage

    islands, n = ndimage.label(dark, np.ones((3, 3)))
    at_border = np.unique(np.concatenate([islands[0], islands[-1], islands[:, 0], islands[:, -1]]))
    boxes = ndimage.find_objects(islands)
    tall = max((boxes[i - 1][0].stop - boxes[i - 1][0].start for i in set(range(1, n + 1)) - {*at_border}), default=0)
    if tall < max(2, LEAST_HEIGHT * len(dark)):
        return np.zeros(dark.shape, bool)
    outside = np.isin(islands, at_border[at_border > 0])
    return np.asarray(ndimage.binary_dilation(outside, np.ones((3, 3)), iterations=2))


def _plane(gray: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Fit a plane through the middle half of the border's brightness; returns it and a mask of the border."""
    y, x = np.mgrid[: gray.shape[0], : gray.shape[1]]
    depth_y, depth_x = max(1, gray.shape[0] // 16), max(1, gray.shape[1] // 16)
    border = np.ones(gray.shape, bool)
    if min(gray.shape) > 2:
        border[depth_y:-depth_y, depth_x:-depth_x] = False
    edge, level = border.copy(), float(np.median(gray[border]))
    apart = np.abs(gray - level)
    edge &= apart <= max(float(np.median(apart[edge])) * 2, 4)
    if edge.sum() < 12 or not all(side.any() for side in (edge[:, 0], edge[:, -1], edge[0], edge[-1])):
        return np.full(gray.shape, level), border
    design = np.stack([np.ones(int(edge.sum())), y[edge], x[edge]], 1)
    at_0, by_y, by_x = np.linalg.lstsq(design, gray[edge], rcond=None)[0]
    return np.asarray(at_0 + by_y * y + by_x * x), border
