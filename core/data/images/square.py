"""Any picture as a small square: its middle, brought to a size by averaging."""

import numpy as np
import torch
from numpy.typing import NDArray

from core.data.images import LUMA


def square(pixels: NDArray[np.uint8], size: int, *, gray: bool = False) -> NDArray[np.uint8]:
    """The largest square in the middle of a picture, at another size: each new pixel is the mean of those it covers.

    Args:
        pixels: (Y, X, 3) red, green and blue.
        size: height and width of the result.
        gray: whether to keep the brightness alone.

    Returns:
        (C, size, size) with C = 1 for gray, else 3; channels first, as models read them.

    Raises:
        ValueError: if it is no picture in color, or `size` is not positive.
    """
    if pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise ValueError(f"pixels {pixels.shape} are no picture in color, (Y, X, 3)")
    if size < 1:
        raise ValueError(f"a picture of {size} pixels in height has nothing to show")
    side = min(pixels.shape[:2])
    top, left = ((length - side) // 2 for length in pixels.shape[:2])
    middle = pixels[top : top + side, left : left + side].astype(np.float32)
    channels = (middle @ np.array(LUMA, np.float32))[None] if gray else middle.transpose(2, 0, 1)
    small = torch.nn.functional.adaptive_avg_pool2d(torch.from_numpy(np.ascontiguousarray(channels)), size)
    found: NDArray[np.uint8] = small.round().clamp(0, 255).to(torch.uint8).numpy()
    return found
