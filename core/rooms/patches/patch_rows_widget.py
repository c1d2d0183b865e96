"""The browser widget of a picture and its patches as rows of a matrix; see `assets/widgets/patches/patch_rows.js`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.browser.message import pack
from core.ui.widgets.mount import mount

MAX_PATCHES = 256  # a row less than two pixels high could not be pointed at
MAX_NUMBERS = 224 * 224 * 3  # the largest picture that published ViTs are trained on


@dataclass(frozen=True)
class Step:
    """What the rows are turned into, one step at a time."""

    title: str  # on its button
    told: str  # one sentence, below the button while it is open
    values: NDArray[np.floating]  # (P, D), or (1 + P, D) with the class token in front


def patch_rows(
    rows: ArrayLike,
    steps: Sequence[Step],
    *,
    patch_size: int,
    top: int,
    ink: bool,
    title: str,
    told: str,
    key: str,
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw the picture with its grid, the patches in reading order, and the matrix that they become.

    A patch that is pointed at in one of the three is marked in the others; nothing is committed.

    Args:
        rows: (P, K) uint8: the numbers of each patch, channel by channel, in each line by line. The picture is put
            together from them.
        steps: what the rows become.
        patch_size: height and width of a patch, in pixels.
        top: what full ink or full light is in `rows`; the matrix shows row / top.
        ink: whether 0 is paper and `top` is ink; else 0 is black.
        title, told: of the first step, the rows themselves.

    Raises:
        ValueError: if the patches make no square, or there are too many.
    """
    levels = np.asarray(rows)
    n_patch, n_number = levels.shape
    side = round(n_patch**0.5)
    n_channel = n_number // patch_size**2
    if levels.dtype != np.uint8 or side * side != n_patch or n_channel * patch_size**2 != n_number:
        raise ValueError(f"{levels.dtype} rows {levels.shape} are no square of patches of {patch_size} pixels")
    if n_patch > MAX_PATCHES or levels.size > MAX_NUMBERS:
        raise ValueError(
            f"{n_patch} patches of {n_number} numbers are more than the {MAX_PATCHES} patches and {MAX_NUMBERS:,} "
            "numbers that can be shown"
        )
    arrays: dict[str, NDArray[np.generic]] = {"rows": levels}
    told_steps = [{"title": title, "told": told, "array": None, "first": 0, "limit": 1.0}]
    for i, step in enumerate(steps):
        first = len(step.values) - n_patch  # 1 with the class token, whose row is no patch
        if step.values.ndim != 2 or first not in (0, 1):
            raise ValueError(f"step {step.title!r} is {step.values.shape}, there are {n_patch} patches")
        arrays[f"step{i}"] = np.asarray(step.values, np.float32)
        limit = float(np.abs(step.values).max()) or 1.0
        told_steps.append({"title": step.title, "told": step.told, "array": f"step{i}", "first": first, "limit": limit})
    header = {
        "widget": "patch_rows",
        "patch": patch_size,
        "channels": n_channel,
        "side": side,
        "top": top,
        "ink": ink,
        "steps": told_steps,
        "label": label,
        "takeaway": takeaway or f"{label or 'A picture'}: {n_patch} patches of {n_number} numbers.",
    }
    mount("patch_rows", key, pack(header, arrays))
