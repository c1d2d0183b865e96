"""Bar charts: a ranking with its numbers, groups of bars, and parts of a whole."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from core.charts.axis import Axis, as_axis
from core.charts.describe import describe_bars
from core.charts.marks import bar_layer, text_layer, tick_layer, vega_lite_mark_layer
from core.charts.plot import ChartLayer, ChartOptions, Spec, Values, chart_height_for_rows, columns_from_rows, plot
from core.charts.theme import ThemeMode
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)
ROW, ROW_WITH_NUMBERS, ROW_OF_GROUP = 18, 24, 22  # css pixels
_AXIS_LENGTH = 1.3  # length of the axis, in longest bars; leaves room for the column of numbers, also on a phone
_NOTHING: Mapping[str, object] = {}


def bars(
    values: Mapping[str, float] | Mapping[str, Values],
    *,
    x: Axis | str,
    y: Axis | str = "",
    labels: Sequence[str] | None = None,
    printed: str = "",
    notes: Sequence[str] = (),
    marked: Sequence[bool] = (),
    is_upright: bool = False,
    **whole: Unpack[ChartOptions],
) -> Spec:
    """Return the Vega-Lite specification of a bar chart: a signed bar for each label, in order; NaN draws no bar.

    Args:
        values: label -> value; or, if `labels` are given, name -> a value for each label, for bars side by side.
        x: the axis of the values; its limits cut off the bars.
        y: the axis of the labels; its `is_code` prints them in a monospaced font.
        labels: may contain duplicates.
        printed: Python format of the value printed next to its bar, such as ".2f"; "": no value is printed.
        notes: text after each number.
        marked: True for bars that are highlighted with a different color; their labels should show it, too.
        is_upright: whether the bars are vertical and the axes are swapped.

    Raises:
        ValueError: if a series, the notes or the marks differ in number from the labels.
    """
    series, names = _series(values, labels)
    for name, some in {**series, "notes": notes or names, "marked": marked or names}.items():
        if len(some) != len(names):
            raise ValueError(f"{name!r} has {len(some)} values, there are {len(names)} labels")
    measure, is_told = as_axis(x), bool(printed or any(notes))
    rows = [
        (place, float(one), name)
        for place in range(len(names))
        for name, some in series.items()
        if math.isfinite(one := float(some[place]))
    ]
    columns: dict[str, list[Any]] = {
        "place": [place for place, *_ in rows],
        "label": [names[place] for place, *_ in rows],
        "value": [value for _, value, _ in rows],
        "name": [name for *_, name in rows],
        "end": [max(0.0, value) for _, value, _ in rows],
        "text": [_told(value, printed, notes[place] if notes else "") for place, value, _ in rows],
        "marked": [bool(marked and marked[place]) for place, *_ in rows],
    }
    words = describe_bars(series, names, measure)
    if is_told and not is_upright:
        measure = _with_room(measure, columns["value"], _room_for_notes(columns["text"]) if any(notes) else 1.75)
    elif is_told:
        measure = replace(measure, limits=_upright_limits(columns["value"]), unit=measure.unit)
    side = replace(as_axis(y), labels=names)
    layers = _bars(columns, is_upright, len(series), is_told, measure)
    height = chart_height_for_rows(len(names), (ROW_WITH_NUMBERS if is_told else ROW) * max(1, len(series)))
    flat, upright = (side, measure) if is_upright else (measure, side)
    look = {"alt": words, "height": 260 if is_upright else height, **whole}
    legend = "square" if len(series) > 1 else None
    return plot(layers, x=flat, y=upright, names=list(series), legend=legend, **look)


def grouped_bars(
    series: Mapping[str, Values],
    *,
    labels: Sequence[str],
    x: Axis | str,
    strokes: Values | None = None,
    stroke: str = "",
    **whole: Unpack[ChartOptions],
) -> Spec:
    """Return the Vega-Lite specification of grouped bars: under each label a bar of every series, with its number.

    Args:
        series: name -> a fraction from 0 to 1 for each label; the name is printed at every bar, so no color is needed.
        labels: the names of the groups, top to bottom.
        strokes: a fraction for each label, drawn as a vertical line through its bars; stroke: its meaning.

    Raises:
        ValueError: if a series or the strokes differ in number from the labels.
    """
    for name, some in {**series, "strokes": labels if strokes is None else strokes}.items():
        if len(some) != len(labels):
            raise ValueError(f"{name!r} has {len(some)} values, there are {len(labels)} labels")
    names, high = list(series), len(series) + 1
    rows = [
        (i * high + j + 1, label, name, float(series[name][i]), math.nan if strokes is None else float(strokes[i]))
        for i, label in enumerate(labels)
        for j, name in enumerate(names)
        if math.isfinite(float(series[name][i]))
    ]
    columns = columns_from_rows(rows, "row", "group", "name", "value", "stroke")
    columns["text"] = [f"{one:.0%}" for one in columns["value"]]
    heads: dict[str, list[object]] = {
        "row": [i * high for i in range(len(labels))],
        "group": list(labels),
        "value": [0.0] * len(labels),
    }
    measure = replace(as_axis(x), limits=(0, _AXIS_LENGTH), ticks=(0, 0.25, 0.5, 0.75, 1), unit="%")
    side = Axis(labels=[one for _ in labels for one in ("", *names)])
    tip = [("group", LABELS["asked"], ""), ("name", LABELS["who"], ""), ("value", measure.name, ".3f")]
    layers = [
        bar_layer(columns, "value", "row", "name", tip=tip),
        text_layer(columns, "text", y="row", x="width", align="right"),
        text_layer(heads, "group", "value", "row", align="left", fontSize=13, fontWeight=600),
    ]
    if strokes is not None:
        layers.append(tick_layer(columns, "stroke", "row", tip=[("stroke", stroke, ".3f")]))
    look = {
        "alt": describe_bars(series, labels, measure),
        "height": chart_height_for_rows(len(rows), ROW_OF_GROUP),
    }
    look["height"] = chart_height_for_rows(high * len(labels), ROW_OF_GROUP)
    return plot(layers, x=measure, y=side, names=names, legend=None, **{**look, **whole})


def parts_bar(parts: Mapping[str, float], **whole: Unpack[ChartOptions]) -> Spec:
    """Return the Vega-Lite specification of a bar split into parts, name -> count, with names and percentages above."""
    total = max(1, sum(parts.values()))
    names = [f"{name} {count / total:.0%}" for name, count in parts.items()]
    ends = [sum([*parts.values()][: i + 1]) for i in range(len(names))]
    columns: dict[str, list[Any]] = {
        "part": names,
        "count": [*parts.values()],
        "share": [count / total for count in parts.values()],
        "low": [0, *ends[:-1]][: len(names)],
        "high": ends,
        "row": [0] * len(names),
    }
    tip = [("part", LABELS["part"], ""), ("count", LABELS["count"], ",d"), ("share", LABELS["share"], ".0%")]
    channels = {"x": "low", "x2": "high", "y": "row", "name": "part"}
    one = vega_lite_mark_layer("bar", columns, channels, {"height": 18, "tip": tip})
    look = {"alt": f"{', '.join(names)}.", "height": 76, **whole}
    spec = plot([one], x=Axis(limits=(0, total)), y=Axis(labels=[""]), names=names, legend="square", **look)
    for layer in spec["layer"]:
        layer["encoding"]["x"]["axis"] = layer["encoding"]["y"]["axis"] = None
    return spec


def _series(values: Mapping[str, Any], labels: Sequence[str] | None) -> tuple[dict[str, Values], list[str]]:
    if labels is None:
        return {"": [*values.values()]}, [*values]
    return dict(values), list(labels)


def _bars(
    columns: dict[str, list[object]], is_upright: bool, n_series: int, is_told: bool, measure: Axis
) -> list[ChartLayer]:
    along = ("place", "value") if is_upright else ("value", "place")
    tip = [("label", LABELS["label"], ""), *([("name", LABELS["series"], "")] if n_series > 1 else [])]
    tip += [("value", measure.name, ".4~g"), *([("text", LABELS["number"], "")] if is_told else [])]
    if n_series > 1:
        return [bar_layer(columns, *along, "name", offset="name", tip=tip)]
    layers = [bar_layer(columns, *along, color=0, tip=tip, when="!datum.marked")]
    if any(columns["marked"]):
        layers.append(bar_layer(columns, *along, color=1, tip=tip, when="datum.marked"))
    if is_told and is_upright:
        layers.append(text_layer(columns, "text", *along, dy=-9))
    elif is_told:
        layers.append(text_layer(columns, "text", "end", "place", align="left", dx=5))
    return layers


def _told(value: float, printed: str, note: str) -> str:
    """Return the text of a number and its note; a number above 0 is never printed as 0."""
    if not printed:
        return note
    number = format(value, printed).replace("-", "−")
    if value > 0 and float(number.rstrip("%")) == 0:
        digits = int("".join(filter(str.isdigit, printed)) or 0)
        number = f"<{10.0**-digits:.{digits}f}" + ("%" if printed.endswith("%") else "")
    return f"{number} · {note}" if note else number


def _room_for_notes(texts: Sequence[str]) -> float:
    """Return how many times as long as the longest bar the axis is: nine characters after a bar weren't cut off."""
    return max(2, max(map(len, texts), default=0) / 9)


def _with_room(measure: Axis, values: Sequence[float], room: float) -> Axis:
    """Return the axis with room for text after the longest bar; its ticks end at the bar."""
    low = min([0.0, *values]) if measure.limits is None else measure.limits[0]
    top = max([1e-9, *values]) if measure.limits is None else measure.limits[1]
    ticks = measure.ticks or _ticks(top, low)
    return replace(measure, limits=(low, top * room), ticks=ticks, format=measure.format or "~r")


def _upright_limits(values: Sequence[float]) -> tuple[float, float]:
    return min([0.0, *values]), max([0.0, *values]) * 1.15 + 1e-9


def _ticks(top: float, low: float = 0.0) -> list[float]:
    """Return round numbers from zero to the top: two to five steps of 1, 2 or 5 times a power of ten."""
    unit = 10.0 ** math.floor(math.log10(top))
    step = next(s for s in (unit / 5, unit / 2, unit, 2 * unit, 5 * unit) if top / s < 5 + 1e-9)
    below = [-round(i * step, 12) for i in range(math.floor(-low / step + 1e-9), 0, -1)] if low < -step else []
    return below[:5] + [round(i * step, 12) for i in range(math.floor(top / step + 1e-9) + 1)]


def example(values: Sequence[float], mode: ThemeMode) -> list[Spec]:
    """Draw charts of any values, for tests."""
    names = ["the same"] * len(values)
    return [
        bars({f"label {i}": one for i, one in enumerate(values)}, x="x", mode=mode),
        bars({"": values}, labels=names, x="x", y=Axis(is_code=True), printed=".2f", notes=names, mode=mode),
        bars({"one": values, "two": values}, labels=names, x="x", mode=mode),
        bars({"": values}, labels=names, x="x", printed=".0%", is_upright=True, mode=mode),
        grouped_bars({"one": values, "two": values}, labels=names, x="x", strokes=values, mode=mode),
        parts_bar({f"part {i}": abs(one) for i, one in enumerate(values) if math.isfinite(one)}, mode=mode),
    ]
