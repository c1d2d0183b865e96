"""What the exhibits of this room share: even widths, and how very small numbers are printed."""

from core.ui.numbers import power_of_ten


def tiny(value: float, digits: int = 2) -> str:
    """As 1.8·10⁻¹⁵; what is not small as 0.213."""
    return f"{value:.3f}" if value >= 0.001 else power_of_ten(value, digits)


def even(value: float) -> int:
    """The next lower even number: a link can name an odd width, and positions are made of pairs."""
    return int(value) // 2 * 2
