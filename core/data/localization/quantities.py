"""Quantities in words: 124 million, 3.1 GB."""

from core.data.localization.labels import module_labels
from core.data.localization.locales import localize_number
from core.data.localization.numbers import format_power_of_ten

LABELS = module_labels(__name__)
_NAMES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))  # keys of labels
_BYTES = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def format_count(count: float) -> str:
    """Format a count to three digits: 9,472, 124 million, 175 billion; beyond trillions as a power of ten."""
    if count >= 1e15:
        return format_power_of_ten(count, 3)
    for size, name in _NAMES:
        if count >= 0.9995 * size:
            return LABELS(name, count=_three(count / size))
    return localize_number(f"{count:,.0f}")


def format_bytes(count: float) -> str:
    """Format a number of bytes to three digits, with units in powers of a thousand."""
    for size, name in _BYTES:
        if count >= 0.9995 * size:
            return f"{_three(count / size)} {name}"
    return LABELS("bytes", count=localize_number(f"{count:,.0f}"))


def format_ratio(ratio: float) -> str:
    """Format a ratio: 1.4, 73, 1.6 million."""
    return _three(ratio) if ratio < 1e4 else format_count(ratio)


def _three(value: float) -> str:
    """Format a number to three significant digits."""
    if value >= 99.95:
        return localize_number(f"{value:,.0f}")
    return localize_number(f"{value:.1f}" if value >= 9.995 else f"{value:.2f}")
