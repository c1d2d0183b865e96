"""Descriptions of charts in words, generated from their numbers."""

import math
from collections.abc import Iterable, Mapping, Sequence

from core.charts.axis import Axis
from core.charts.plot import Values
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

_MAX_NAMES = 8  # up to this many names are described one by one


def describe_curves(
    points: Mapping[str, Sequence[tuple[float, float]]], x: Axis, y: Axis, references: Mapping[str, float]
) -> str:
    """Describe lines: both axes, the first and last value of each line, and its extremes."""
    told = [_named(name, _course(some, x, y)) for name, some in points.items()]
    rules = [_named(label, y.text(value)) for label, value in references.items() if math.isfinite(value)]
    more = [LABELS("more", n=len(told) - _MAX_NAMES)] if len(told) > _MAX_NAMES else []
    return _sentences([_axes(x, y), *told[:_MAX_NAMES], *more, *rules])


def describe_bars(values: Mapping[str, Values], labels: Sequence[str], x: Axis) -> str:
    """Describe bars: the value at each label, series by series."""
    told = []
    for name, some in values.items():
        pairs = [
            LABELS("bar", label=label, value=x.text(one))
            for label, one in zip(labels, some, strict=True)
            if math.isfinite(one)
        ]
        more = [LABELS("more", n=len(pairs) - 3 * _MAX_NAMES)] if len(pairs) > 3 * _MAX_NAMES else []
        told.append(
            _named(name, ", ".join(pairs[: 3 * _MAX_NAMES] + more)) if len(values) > 1 else ", ".join(pairs + more)
        )
    return _sentences(filter(None, [_capital(x.name), *told]))


def describe_dots(groups: Mapping[str, tuple[Values, Values]], x: Axis, y: Axis) -> str:
    """Describe dots: their number, and the range of each group."""
    told = [
        LABELS("dots", name=name, n=len(xs), low=y.text(min(ys)), high=y.text(max(ys)))
        for name, (xs, ys) in groups.items()
        if len(xs) and all(map(math.isfinite, ys))
    ]
    return _sentences([_axes(x, y), *told])


def _axes(x: Axis, y: Axis) -> str:
    return LABELS("axes", x=x.name, y=_capital(y.name))


def _named(name: str, told: str) -> str:
    return LABELS("named", name=name, told=told) if name else told


def _sentences(told: Iterable[str]) -> str:
    return " ".join(f"{one}." for one in told)


def _course(points: Sequence[tuple[float, float]], x: Axis, y: Axis) -> str:
    (first_x, first), (last_x, last) = points[0], points[-1]
    if len(points) == 1:
        return LABELS("course.point", value=y.text(first), place=_place(first_x))
    low, high = (end(points, key=lambda one: one[1]) for end in (min, max))
    has_low, has_high = low[1] < min(first, last), high[1] > max(first, last)
    key = "all" if has_low and has_high else "low" if has_low else "high" if has_high else "ends"
    return LABELS(
        f"course.{key}",
        first=y.text(first),
        first_x=_place(first_x),
        last=y.text(last),
        last_x=_place(last_x),
        low=y.text(low[1]),
        low_x=_place(low[0]),
        high=y.text(high[1]),
        high_x=_place(high[0]),
    )


def _place(x: float) -> str:
    return f"{x:,.0f}" if float(x).is_integer() else f"{x:.4g}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
