"""The middle of any picture as a small square, resized by averaging."""

import numpy as np
import torch
from jaxtyping import UInt8
from numpy.typing import NDArray

from core.data.images import LUMA


def center_square(pixels: UInt8[NDArray[np.uint8], "Y X 3"], size: int, *, gray: bool = False) -> NDArray[np.uint8]:
    """Resize the largest square in the middle of a picture: each new pixel is the mean of the pixels it covers.

    Returns (C, size, size), channels first, as models read them; C = 1, the brightness, for gray, else 3.
    Raises ValueError if `pixels` isn't a picture in color, or `size` is not positive.
    """
    if pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise ValueError(f"pixels {pixels.shape} aren't a picture in color, (Y, X, 3)")
    if size < 1:
        raise ValueError(f"a picture of {size} pixels in height has nothing to show")
    side = min(pixels.shape[:2])
    top, left = ((length - side) // 2 for length in pixels.shape[:2])
    middle = pixels[top : top + side, left : left + side].astype(np.float32)
    channels = (middle @ np.array(LUMA, np.float32))[None] if gray else middle.transpose(2, 0, 1)
    small = torch.nn.functional.adaptive_avg_pool2d(torch.from_numpy(np.ascontiguousarray(channels)), size)
    return np.asarray(small.round().clamp(0, 255).to(torch.uint8).numpy())
