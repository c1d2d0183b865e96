"""Line charts with a line for each name, such as losses during training, or a function of a number."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Never, TypeVar, Unpack

from core.charts.axis import BEYOND, ZERO, Axis, as_axis
from core.charts.describe import describe_curves
from core.charts.marks import (
    TooltipLines,
    band_layer,
    dot_layer,
    halo_text_layers,
    hover_layer,
    line_layer,
    rule_layer,
    text_layer,
)
from core.charts.plot import (
    ChartLayer,
    ChartOptions,
    Columns,
    SeriesStyle,
    Spec,
    Values,
    columns_from_rows,
    default_series_styles,
    plot,
)
from core.charts.theme import ThemeMode
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

MAX_POINTS = 300  # as many as a chart of 700 pixels can show, and few enough to send twice a second
T = TypeVar("T")
# name -> (x values, y values)
_SeriesByName = Mapping[str, tuple[Values, Values]]
_NOTHING: Mapping[str, Never] = {}


def curves(
    series: _SeriesByName | Columns,
    *,
    x: Axis | str = LABELS["training_step"],
    y: Axis | str,
    by: str = "",
    n_step: float | None = None,
    references: Mapping[str, float] = _NOTHING,
    at: Mapping[str, float] | float | None = None,
    bands: Mapping[str, tuple[Values, Values]] = _NOTHING,
    rings: Mapping[str, float] = _NOTHING,
    hidden: Sequence[str] = (),
    looks: Mapping[str, SeriesStyle] = _NOTHING,
    has_dots: bool | None = None,
    is_staircase: bool = False,
    infinite: str = BEYOND,
    **whole: Unpack[ChartOptions],
) -> Spec:
    """Return the Vega-Lite specification of a line chart, whose lines differ in color and dash pattern.

    On a logarithmic vertical axis, a value of 0 is a cross on the lower edge; infinity and NaN are crosses on the upper
    edge. Both have a label, and no line leads to them. Long lines are thinned to every n-th point.

    Args:
        series: name -> (x values, y values), x rising; or, if `by` is given, columns by name.
        x, y: the axes, or if `by` is given, the names of their columns.
        by: the column of the names.
        n_step: number of steps of a training run: the horizontal axis has its full length from the beginning, so that
            the chart doesn't jump while a curve grows, and the vertical axis begins at 0.
        references: label -> value of a dashed horizontal line to compare with.
        at: x position of a vertical line, or label -> position for several.
        bands: name -> lower and upper ends of a pale band around its line.
        rings: name -> x position of a point to mark, such as the best one.
        hidden: names that are not drawn, such as one that is still to be guessed; they keep their color.
        looks: name -> (color, dash) for all possible names, so that each keeps its look when others come and go.
        has_dots: whether each point is also drawn as a dot; None: only in training curves.
        is_staircase: whether a value stays constant until the next point, as for buckets.
        infinite: label of infinite values.

    Raises:
        ValueError: if a line has different numbers of x and y values, if there is no line for a name in hidden, rings
            or bands, or if a logarithmic axis has a value below 0.
    """
    lines = _series(series, as_axis(x).name, as_axis(y).name, by)
    if unknown := {*hidden, *rings, *bands} - set(lines):
        raise ValueError(f"{sorted(unknown)} are none of the curves {list(lines)}")
    flat, upright = _axes(as_axis(x), as_axis(y), n_step)
    points = {name: _points(name, *ends, flat, upright) for name, ends in lines.items() if name not in hidden}
    drawn = {name: [one for one in some if _is_drawn(one[1], upright)] for name, some in points.items()}
    columns = _columns({name: _thin(some) for name, some in drawn.items()})
    values = [y for some in points.values() for _, y in some]
    flat, upright = flat.fit(columns["x"], True), upright.fit([*values, *_finite(references).values()])
    names = {name: look for name, look in looks.items() if name in lines} or default_series_styles(lines)
    is_single = len(names) == 1 and next(iter(names)) in ("", upright.name)  # then the axis names it
    has_dots = n_step is not None if has_dots is None else has_dots
    layers = [
        *_bands(lines, bands, hidden),
        *_lines(columns, is_staircase, has_dots),
        *_rings(points, rings, upright),
        *_references(_finite(references), columns, flat, upright),
        *_uprights(at, flat, columns),
        *_edges(points, upright, infinite),
        hover_layer(columns, "x", "y", _tip(flat, upright, is_single), "name"),
    ]
    words = describe_curves({name: some for name, some in points.items() if some}, flat, upright, references)
    legend = None if is_single else "stroke"
    return plot(layers, x=flat, y=upright, names=names, legend=legend, **{"alt": words, **whole})


def _lines(columns: Columns, is_staircase: bool, has_dots: bool) -> list[ChartLayer]:
    lines = line_layer(columns, "x", "y", "name", interpolate="step" if is_staircase else "linear", data="rows")
    # A line needs two points, a dot only one.
    return [lines, dot_layer(columns, "x", "y", "name", size=14, opacity=0.9, clip=True)] if has_dots else [lines]


def _tip(flat: Axis, upright: Axis, is_single: bool) -> TooltipLines:
    tip = [("x", flat.name, flat.number_format), ("y", upright.name, upright.number_format)]
    return tip if is_single else [("name", LABELS["curve"], ""), *tip]


def _series(given: Any, x: str, y: str, by: str) -> dict[str, tuple[Values, Values]]:
    """Return the lines by name; columns are split by the column of names."""
    if by:
        if missing := {x, y, by} - set(given):
            raise ValueError(f"there are no columns {sorted(missing)} among {list(given)}")
        rows = list(zip(given[by], given[x], given[y], strict=True))
        parted = {str(name): [row[1:] for row in rows if row[0] == name] for name in dict.fromkeys(given[by])}
        return {name: ([a for a, _ in some], [b for _, b in some]) for name, some in parted.items()}
    for name, (places, values) in given.items():
        if len(places) != len(values):
            raise ValueError(f"{name!r} has {len(places)} places and {len(values)} values")
    return dict(given)


def _axes(flat: Axis, upright: Axis, n_step: float | None) -> tuple[Axis, Axis]:
    if n_step is None:
        return flat, upright
    if flat.limits is None:
        flat = replace(flat, limits=(1 if flat.is_log else 0, max(n_step, 2 if flat.is_log else 1e-9)))
    if not flat.format:
        flat = replace(flat, format=",d")
    if upright.limits is None and not upright.is_log:
        upright = replace(upright, has_zero=True)
    return flat, upright


def _points(name: str, places: Values, values: Values, flat: Axis, upright: Axis) -> list[tuple[float, float]]:
    """Return the points that can be drawn; on a logarithmic axis, infinite ones are kept for its edge."""
    points = [(float(x), float(y)) for x, y in zip(places, values, strict=True) if y is not None]
    if upright.is_log:  # values that overflowed may be NaN
        points = [(x, math.inf if math.isnan(y) else y) for x, y in points]
    if upright.is_log and (below := min((y for _, y in points), default=0)) < 0:
        raise ValueError(f"{name!r} holds {below:g}, and a logarithmic axis has no place below 0")
    return [
        (x, y)
        for x, y in points
        if math.isfinite(x) and (x > 0 or not flat.is_log) and (math.isfinite(y) or (upright.is_log and y == math.inf))
    ]


def _is_drawn(value: float, upright: Axis) -> bool:
    return math.isfinite(value) and (value > 0 or not upright.is_log)


def _columns(points: Mapping[str, Sequence[tuple[float, float]]]) -> dict[str, list[Any]]:
    return columns_from_rows([(x, y, name) for name, some in points.items() for x, y in some], "x", "y", "name")


def _thin(points: Sequence[T]) -> list[T]:
    """Return every n-th point and the last. Nothing is averaged, so every point in the chart was computed."""
    stride = math.ceil(len(points) / MAX_POINTS) or 1
    return [*points[::stride], *(points[-1:] if (len(points) - 1) % stride else [])]


def _finite(references: Mapping[str, float]) -> dict[str, float]:
    return {label: value for label, value in references.items() if math.isfinite(value)}


def _bands(lines: _SeriesByName, bands: Mapping[str, tuple[Values, Values]], hidden: Sequence[str]) -> list[ChartLayer]:
    rows = [
        (float(x), float(low), float(high), name)
        for name, ends in bands.items()
        if name not in hidden
        for x, low, high in zip(lines[name][0], *ends, strict=True)
    ]
    return (
        [band_layer(columns_from_rows(rows, "x", "low", "high", "name"), "x", "low", "high", "name", data="bands")]
        if rows
        else []
    )


def _rings(
    points: Mapping[str, Sequence[tuple[float, float]]], rings: Mapping[str, float], upright: Axis
) -> list[ChartLayer]:
    """Draw rings; values that a logarithmic axis cannot show have their ring on its edge."""
    low, high = upright.limits if upright.is_log and upright.limits else (-math.inf, math.inf)
    ringed = {
        name: [(x, min(max(y, low), high)) for x, y in some if x == rings[name]]
        for name, some in points.items()
        if name in rings
    }
    look = {"filled": False, "size": 150, "strokeWidth": 2.5, "data": "rings"}
    return [dot_layer(_columns(ringed), "x", "y", "name", **look)]


def _uprights(at: Mapping[str, float] | float | None, flat: Axis, columns: Columns) -> list[ChartLayer]:
    """Draw dashed vertical lines; labels are on the outer sides of two lines, else on the side with more room."""
    if at is None:
        return []
    places = at if isinstance(at, Mapping) else {"": at}
    low, high = flat.limits or (min(columns["x"], default=0.0), max(columns["x"], default=1.0))
    middle = math.sqrt(low * high) if flat.is_log and low > 0 else (low + high) / 2
    layers = [rule_layer({"x": [*places.values()], "label": [*places]}, "x", strokeDash=[4, 4], data="at")]
    for i, (label, x) in enumerate(places.items()):
        is_left = x > middle if len(places) == 1 else x == min(places.values())
        side = {"align": "right", "dx": -6} if is_left else {"align": "left", "dx": 6}
        named: Columns = {"x": [x], "label": [label]}
        layers += [text_layer(named, "label", "x", y=10 + 16 * i, fontWeight=600, **side)] if label else []
    return layers


def _references(references: Mapping[str, float], columns: Columns, flat: Axis, upright: Axis) -> list[ChartLayer]:
    """Draw named horizontal lines; a name is below its line if another line is close above it, or more points are."""
    below = [label for label, value in references.items() if _is_crowded(value, references, columns, flat, upright)]
    above = [label for label in references if label not in below]
    layers = [rule_layer({"y": [*references.values()], "label": [*references]}, y="y", data="references")]
    for labels, dy in ((above, -8), (below, 10)):
        named: Columns = {"y": [references[label] for label in labels], "label": labels}
        layers += halo_text_layers(named, "label", y="y", x="width", align="right", dx=-4, dy=dy)
    return layers


def _is_crowded(value: float, references: Mapping[str, float], columns: Columns, flat: Axis, upright: Axis) -> bool:
    low, high = upright.limits or (min(columns["y"], default=0.0), max(columns["y"], default=1.0))
    room = 0.1 * (high - low)
    rules = [one - value for one in references.values() if 0 < abs(one - value) <= room]
    if rules:
        return max(rules) > 0 and min(rules) > 0
    end = (flat.limits or (0.0, max(columns["x"], default=1.0)))[1]
    near = [
        y - value for x, y in zip(columns["x"], columns["y"], strict=True) if x > end / 2 and abs(y - value) <= room
    ]
    return sum(one > room / 10 for one in near) > sum(one < -room / 10 for one in near)


def _edges(points: Mapping[str, Sequence[tuple[float, float]]], upright: Axis, infinite: str) -> list[ChartLayer]:
    """Draw crosses for values that a logarithmic axis cannot show, with a label on each edge."""
    if not upright.is_log or upright.limits is None:
        return []
    layers = []
    for y, value, words in ((upright.limits[0], 0.0, ZERO), (upright.limits[1], math.inf, infinite)):
        there = {name: [(x, y) for x, one in some if one == value] for name, some in points.items()}
        columns = _columns(there)
        if not columns["x"]:
            continue
        tip = [("name", LABELS["curve"], ""), ("told", upright.name, "")]
        crossed = columns | {"told": [words] * len(columns["x"])}
        first = min(x for x, _ in (one for some in points.values() for one in some))
        is_left = min(columns["x"]) <= first
        named = {"x": [min(columns["x"]) if is_left else max(columns["x"])], "y": [y], "label": [words]}
        layers += [
            dot_layer(crossed, "x", "y", "name", shape="cross", angle=45, size=110, tip=tip, data=words),
            text_layer(named, "label", "x", "y", align="left" if is_left else "right", dy=-14 if value == 0 else 14),
        ]
    return layers


def example(values: Sequence[float], mode: ThemeMode) -> list[Spec]:
    """Draw charts of any values, for tests."""
    places, many = range(len(values)), {name: (range(len(values)), values) for name in ("one", "two")}
    log = Axis("logarithmic", is_log=True)
    return [
        curves(many, y="y", n_step=len(values), references={"known": 0.5}, rings={"one": 1}, hidden=["two"], mode=mode),
        curves({"": (places, values)}, x="x", y="y", at={"here": 1}, bands={"": (values, values)}, mode=mode),
        curves({"x": places, "y": values, "of": ["a"] * len(values)}, x="x", y="y", by="of", mode=mode),
        curves(many, x=Axis("sizes", is_log=True), y=Axis("y", unit="bytes"), is_staircase=True, at=2, mode=mode),
        curves({"one": (places, [abs(one) for one in values])}, x="x", y=log, mode=mode),
    ]
