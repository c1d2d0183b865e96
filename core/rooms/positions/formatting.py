"""What the exhibits of this room share: even widths, and how very small numbers are printed."""

import numpy as np

from core.ui.frame import depth
from core.ui.numbers import power_of_ten


def tiny(value: float, digits: int = 2) -> str:
    """As 1.8·10⁻¹⁵, or in the story as 0.000000000000002; what is not small as 0.213."""
    if value >= 0.001:
        return f"{value:.3f}"
    if depth.at_least("numbers"):
        return power_of_ten(value, digits)
    return np.format_float_positional(value, precision=1, fractional=False, trim="-")


def even(value: float) -> int:
    """The next lower even number: a link can name an odd width, and positions are made of pairs."""
    return int(value) // 2 * 2
