"""How a very small or very large size is told: as a power of ten, or in the story without one."""

import math

import numpy as np

from core import ui
from core.charts.axis import size_text
from core.ui.numbers import short

TINY, HUGE = 1e-9, 1e15


def size_in_words(value: float) -> str:
    """As `core.charts.axis.size_text`; in the story 0.0000057, 17 million, or words beyond such."""
    if ui.at_least("numbers") or value == 0 or 1e-3 <= value < 1e4:
        return size_text(value)
    if not math.isfinite(value):
        return "too large to store"
    if value >= 1e4:
        return short(value) if value < HUGE else "more than a quadrillion"
    return np.format_float_positional(value, 2, fractional=False) if value >= TINY else "less than a billionth"
