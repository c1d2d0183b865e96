"""Number formats for text: large numbers in words (124 million, 3.1 GB), negative ones with a true minus sign."""

import math
from types import MappingProxyType

_SUPERSCRIPT = MappingProxyType(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
_NAMES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_BYTES = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def format_number(value: float, spec: str) -> str:
    """Format a number with a Python format spec; a nonzero percentage is never shown as 0: <1%."""
    return format_probability(value, spec) if spec.endswith("%") else format(value, spec)


def format_probability(value: float, spec: str) -> str:
    """Format a probability with a Python format spec; a nonzero one is never shown as 0: <1%, <0.001."""
    text = format(value, spec)
    if value > 0 and not any(digit in "123456789" for digit in text):
        sign = "%" if spec.endswith("%") else ""
        digits = len(text.partition(".")[2].rstrip("%"))
        return f"<{10**-digits:.{digits}f}{sign}"
    return text


def format_count(count: float) -> str:
    """Format a count to three digits: 9,472, 124 million, 175 billion; beyond trillions as a power of ten."""
    if count >= 1e15:
        power = 15
        while count / 10 ** (power + 1) >= 1:
            power += 1
        return f"{count / 10**power:.2f}·10{str(power).translate(_SUPERSCRIPT)}"
    for size, name in _NAMES:
        if count >= 0.9995 * size:
            return f"{_three(count / size)} {name}"
    return f"{count:,.0f}"


def format_power_of_ten(value: float, digits: int = 1) -> str:
    """Format a small number as a power of ten: 6·10⁻⁸; with two digits 6.4·10⁻⁸."""
    if value == 0:
        return "0"
    first, power = f"{value:.{digits - 1}e}".split("e")
    return f"{first.replace('-', '−')}·10{str(int(power)).translate(_SUPERSCRIPT)}"


def format_bytes(count: float) -> str:
    """Format a number of bytes to three digits, with units in powers of a thousand."""
    for size, name in _BYTES:
        if count >= 0.9995 * size:
            return f"{_three(count / size)} {name}"
    return f"{count:,.0f} bytes"


def format_with_minus_sign(value: float, digits: int = 2, *, plus: bool = False) -> str:
    """Format a number with a true minus sign; nan becomes a dash, and a number that rounds to 0 has no sign.

    Args:
        digits: after the point.
        plus: whether a number above 0 gets a plus sign.
    """
    if math.isnan(value):
        return "–"
    rounded = round(value, digits) + 0.0  # never −0.00
    return f"{rounded:{'+' if plus and rounded else ''}.{digits}f}".replace("-", "−")


def format_ratio(ratio: float) -> str:
    """Format a ratio: 1.4, 73, 1.6 million."""
    return _three(ratio) if ratio < 1e4 else format_count(ratio)


def _three(value: float) -> str:
    """Format a number to three significant digits."""
    if value >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
