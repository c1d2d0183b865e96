"""Sizes of n-gram models in words and formulas: far below 1, large, or infinite."""

import math

from core.ui.numbers import power_of_ten


def size(value: float) -> str:
    """A number of any size: 0.0312, 3.1·10⁻⁸, 0, infinite."""
    if not math.isfinite(value):
        return "infinite"
    return f"{value:.3g}" if value == 0 or value >= 1e-3 else power_of_ten(value, 2)


def large(value: float) -> str:
    """A perplexity: 5.284, 123.4, 12,345."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def tex(value: float) -> str:
    """A probability in a formula."""
    if value == 0 or value >= 1e-3:
        return f"{value:.3g}"
    digits, power = f"{value:.1e}".split("e")
    return rf"{{{digits} \cdot 10^{{{int(power)}}}}}"  # in braces: no line breaks within
