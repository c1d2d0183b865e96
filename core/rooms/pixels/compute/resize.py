"""A picture made smaller, its shape kept."""

import numpy as np
from numpy.typing import NDArray


def at_most(pixels: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """(y, x, 3) the picture (Y, X, 3) with its longer side brought to `side` pixels; a smaller one stays as it is.

    Each new pixel is the mean of those whose place it takes.
    """
    from PIL import Image

    height, width = pixels.shape[:2]
    scale = side / max(height, width)
    if scale >= 1:
        return pixels
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.array(Image.fromarray(np.ascontiguousarray(pixels)).resize(size, Image.Resampling.BOX))
