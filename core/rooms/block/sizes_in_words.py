"""Very small and very large sizes as text: powers of ten in Numbers, plain words in Story."""

import math

import numpy as np

from core import ui
from core.charts.axis import format_scientific
from core.data.localization.labels import module_labels
from core.data.localization.quantities import format_count

LABELS = module_labels(__name__)
TINY, HUGE = 1e-9, 1e15


def describe_size(value: float) -> str:
    """Return a size as `format_scientific` does; in Story as 0.0000057, 17 million, or in words beyond."""
    if ui.depth_at_least("numbers") or value == 0 or 1e-3 <= value < 1e4:
        return format_scientific(value)
    if not math.isfinite(value):
        return LABELS["too_large"]
    if value >= 1e4:
        return format_count(value) if value < HUGE else LABELS["more_than_a_quadrillion"]
    return np.format_float_positional(value, 2, fractional=False) if value >= TINY else LABELS["less_than_a_billionth"]
