"""The paper in a picture of something written: how bright it is at each place, and what is not on it."""

import numpy as np
from numpy.typing import NDArray

EVEN = 4  # shades of 255: a border that varies less than that needs no more than a plane
NEAR_PAPER = (0.3, 0.3, 0.2, 0.2)  # of the darkest ink, round by round: what is nearer to the paper counts as paper
LEAST_PAPER = 0.3  # of a picture; with less paper than that, its light cannot be told from its ink
LEAST_HEIGHT = 0.2  # of a picture: what is written in its middle is at least as high


def darkest(difference: NDArray[np.float64]) -> float:
    """How dark ink is, of the shades (Y, X) between each pixel and the paper.

    By the darkest points, not by a share of all, since thin strokes are a small part of a picture.
    """
    return float(np.percentile(difference, 99.8)) if difference.size > 4_000 else float(difference.max())


def paper(gray: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Shades of the paper (Y, X), and by how many most of it differs from them: 0 where its border is even."""
    plane, edge = _plane(gray)
    if np.percentile(np.abs(gray - plane)[edge], 90) <= EVEN:
        return plane, 0.0
    return _curved(gray, plane)


def _curved(gray: NDArray[np.float64], level: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Paper whose light is a square function of the place, fitted to all that is near to it; each fit tells what is."""
    y, x = (np.linspace(-1, 1, n) for n in gray.shape)
    terms = [np.ones(gray.shape), y[:, None] + 0 * x, x + 0 * y[:, None]]
    design = np.stack([*terms, terms[1] ** 2, terms[2] ** 2, terms[1] * terms[2]], -1)  # (Y, X, 6)
    few = (slice(None, None, 3), slice(None, None, 3))  # enough for six numbers
    for share in NEAR_PAPER:
        apart = np.abs(gray - level)
        near = apart <= max(EVEN, share * darkest(apart))
        if near[few].mean() < LEAST_PAPER:
            break
        level = design @ np.linalg.lstsq(design[few][near[few]], gray[few][near[few]], rcond=None)[0]
    apart = np.abs(gray - level)
    paperlike = apart[apart <= share * darkest(apart)]  # none in a picture of two pixels
    return level, float(np.percentile(paperlike, 90)) if paperlike.size else 0.0


def beside(dark: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the dark parts touch the border while a digit stands clear of it: they are not of the digit.

    Returns (Y, X), True there, and two pixels around; False everywhere where nothing tall stands clear of the border.
    """
    from scipy import ndimage  # type: ignore[import-untyped]

    islands, n = ndimage.label(dark, np.ones((3, 3)))
    at_border = np.unique(np.concatenate([islands[0], islands[-1], islands[:, 0], islands[:, -1]]))
    boxes = ndimage.find_objects(islands)
    tall = max((boxes[i - 1][0].stop - boxes[i - 1][0].start for i in set(range(1, n + 1)) - {*at_border}), default=0)
    if tall < max(2, LEAST_HEIGHT * len(dark)):
        return np.zeros(dark.shape, bool)
    outside = np.isin(islands, at_border[at_border > 0])
    return np.asarray(ndimage.binary_dilation(outside, np.ones((3, 3)), iterations=2))


def _plane(gray: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """A plane through the middle half of the border's brightness, and which pixels are the border."""
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
