"""A picture rounded to a palette: both pictures, the colors, and the picture as a row of ids."""

import numpy as np
from numpy.typing import ArrayLike

from core import ui

MAX_PIXELS = 1 << 16  # the message travels at every change
MAX_COLORS = 1 << 10  # more chips than anybody looks at
MAX_TOKENS = 1 << 12


def draw_rounded(
    original: ArrayLike,
    ids: ArrayLike,
    colors: ArrayLike,
    *,
    key: str,
    label: str,
    takeaway: str,
    size: int | None = None,
    tokens: bool = False,
) -> None:
    """Draw a picture, the same in the colors of a palette, and the palette, most used color first.

    Pointing at a pixel or a color, or going there with the arrow keys, shows where else this color stands; a click or
    Enter keeps it lit. Nothing asks the server.

    Args:
        original: (Y, X, 3) uint8.
        ids: (Y, X) which color stands in place of each pixel.
        colors: (K, 3) uint8, by id.
        key: names the instance.
        label, takeaway: the title, and the sentence that a screen reader gets.
        size: the width of each picture in css pixels, where there is room; None: half of what there is.
        tokens: also the ids in the order in which a model reads them, after the start token.

    Raises:
        ValueError: if shapes do not match, an id has no color, or there is more than can be sent.
    """
    pixels, numbers, palette = np.asarray(original), np.asarray(ids), np.asarray(colors)
    if pixels.dtype != np.uint8 or palette.dtype != np.uint8:
        raise ValueError(f"pixels are {pixels.dtype} and colors {palette.dtype}; pictures are drawn from uint8")
    if pixels.ndim != 3 or pixels.shape[2] != 3 or numbers.shape != pixels.shape[:2] or not numbers.size:
        raise ValueError(f"pixels {pixels.shape} and ids {numbers.shape} do not match")
    if palette.ndim != 2 or palette.shape[1] != 3 or not 0 < len(palette) <= MAX_COLORS:
        raise ValueError(f"colors {palette.shape} are not between 1 and {MAX_COLORS:,} of three numbers")
    if numbers.min() < 0 or numbers.max() >= len(palette):
        raise ValueError(f"ids go from {numbers.min()} to {numbers.max()}, but there are {len(palette)} colors")
    most = MAX_TOKENS if tokens else MAX_PIXELS
    if numbers.size > most:
        raise ValueError(f"{numbers.size:,} pixels are more than the {most:,} that are sent to a browser")
    ui.widget(
        "rounded",
        original=pixels,
        ids=numbers.astype(np.int32),
        colors=palette,
        size=size,
        tokens=tokens,
        label=label,
        takeaway=takeaway,
        key=key,
    )
