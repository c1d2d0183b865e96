"""Descriptions of charts in words, generated from their numbers."""

import math
from collections.abc import Mapping, Sequence

from core.charts.axis import Axis
from core.charts.plot import Values

_MAX_NAMES = 8  # up to this many names are described one by one


def describe_curves(
    points: Mapping[str, Sequence[tuple[float, float]]], x: Axis, y: Axis, references: Mapping[str, float]
) -> str:
    """Describe lines: both axes, the first and last value of each line, and its extremes."""
    told = [f"{name}: {_course(some, x, y)}" if name else _course(some, x, y) for name, some in points.items()]
    rules = [f"{label}: {y.text(value)}" for label, value in references.items() if math.isfinite(value)]
    more = [f"and {len(told) - _MAX_NAMES} more"] if len(told) > _MAX_NAMES else []
    return ". ".join([f"{_capital(y.name)} by {x.name}", *told[:_MAX_NAMES], *more, *rules]) + "."


def describe_bars(values: Mapping[str, Values], labels: Sequence[str], x: Axis) -> str:
    """Describe bars: the value at each label, series by series."""
    told = []
    for name, some in values.items():
        pairs = [f"{label} {x.text(one)}" for label, one in zip(labels, some, strict=True) if math.isfinite(one)]
        more = [f"and {len(pairs) - 3 * _MAX_NAMES} more"] if len(pairs) > 3 * _MAX_NAMES else []
        told.append(
            f"{name}: {', '.join(pairs[: 3 * _MAX_NAMES] + more)}" if len(values) > 1 else ", ".join(pairs + more)
        )
    return ". ".join(filter(None, [_capital(x.name), *told])) + "."


def describe_dots(groups: Mapping[str, tuple[Values, Values]], x: Axis, y: Axis) -> str:
    """Describe dots: their number, and the range of each group."""
    told = [
        f"{name}: {len(xs)} from {y.text(min(ys))} to {y.text(max(ys))}"
        for name, (xs, ys) in groups.items()
        if len(xs) and all(map(math.isfinite, ys))
    ]
    return ". ".join([f"{_capital(y.name)} by {x.name}", *told]) + "."


def _course(points: Sequence[tuple[float, float]], x: Axis, y: Axis) -> str:
    (first_x, first), (last_x, last) = points[0], points[-1]
    if len(points) == 1:
        return f"{y.text(first)} at {_place(first_x)}"
    ends = f"{y.text(first)} at {_place(first_x)}, {y.text(last)} at {_place(last_x)}"
    low, high = (end(points, key=lambda one: one[1]) for end in (min, max))
    more = [f"lowest {y.text(low[1])} at {_place(low[0])}"] if low[1] < min(first, last) else []
    more += [f"highest {y.text(high[1])} at {_place(high[0])}"] if high[1] > max(first, last) else []
    return ", ".join([ends, *more])


def _place(x: float) -> str:
    return f"{x:,.0f}" if float(x).is_integer() else f"{x:.4g}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
