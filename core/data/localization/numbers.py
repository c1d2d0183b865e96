"""Number formats for text, with a true minus sign and the decimal point of the language."""

import math
from types import MappingProxyType

from core.data.localization.locales import localize_number

_SUPERSCRIPT = MappingProxyType(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def format_number(value: float, spec: str) -> str:
    """Format a number with a Python format spec; a nonzero percentage is never shown as 0: <1%."""
    return format_probability(value, spec) if spec.endswith("%") else localize_number(format(value, spec))


def format_probability(value: float, spec: str) -> str:
    """Format a probability with a Python format spec; a nonzero one is never shown as 0: <1%, <0.001."""
    text = format(value, spec)
    if value > 0 and not any(digit in "123456789" for digit in text):
        sign = "%" if spec.endswith("%") else ""
        digits = len(text.partition(".")[2].rstrip("%"))
        text = f"<{10**-digits:.{digits}f}{sign}"
    return localize_number(text)


def format_power_of_ten(value: float, digits: int = 1) -> str:
    """Format a small number as a power of ten: 6·10⁻⁸; with two digits 6.4·10⁻⁸."""
    if value == 0:
        return "0"
    first, power = f"{value:.{digits - 1}e}".split("e")
    return f"{localize_number(first).replace('-', '−')}·10{str(int(power)).translate(_SUPERSCRIPT)}"


def format_with_minus_sign(value: float, digits: int = 2, *, plus: bool = False) -> str:
    """Format a number with a true minus sign; nan becomes a dash, and a number that rounds to 0 has no sign.

    Args:
        digits: after the point.
        plus: whether a number above 0 gets a plus sign.
    """
    if math.isnan(value):
        return "–"
    rounded = round(value, digits) + 0.0  # never −0.00
    return localize_number(f"{rounded:{'+' if plus and rounded else ''}.{digits}f}").replace("-", "−")
