"""What the exhibits of this room share: even widths, places in the address, and how very small numbers are printed."""

import numpy as np

from core import ui


def tiny(value: float, digits: int = 2) -> str:
    """As 1.8·10⁻¹⁵, or in the story as 0.000000000000002; what is not small as 0.213."""
    if value >= 0.001:
        return f"{value:.3f}"
    if ui.at_least("numbers"):
        return ui.power_of_ten(value, digits)
    return np.format_float_positional(value, precision=1, fractional=False, trim="-")


def even(value: float) -> int:
    """The next lower even number: a link can name an odd width, and positions are made of pairs."""
    return int(value) // 2 * 2


def places(text: str) -> list[int]:
    """The numbers of an address such as "12.3.1"; -1 for what is none."""
    return [int(one) if one.isascii() and one.isdigit() and len(one) < 6 else -1 for one in text.split(".")]
