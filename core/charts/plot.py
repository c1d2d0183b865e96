"""A picture is layers over columns: each layer is a mark (`core.charts.marks`), the axes and the names are shared.

    columns = {"size": [1e3, 1e4], "loss": [2.1, 1.7], "model": ["narrow", "wide"]}
    plot([line(columns, x="size", y="loss", name="model")], x=Axis("parameters", is_log=True), y=Axis("loss"))

A plain dictionary is made, so that a picture costs a tenth of a millisecond and a control answers at once.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from core.charts.axis import Axis
from core.charts.theme import Mode, accent, categorical, page

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  # a name that programs compare; nothing fetches it
DASHES = ((1, 0), (7, 4), (2, 3), (9, 3, 2, 3), (4, 2), (1, 3), (12, 4), (6, 2, 2, 2))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
LEGEND_ROW = 20  # css pixels
LETTER = 8  # of a legend, with something to spare
TWO_BESIDE = 14  # two names of so many characters fit beside each other on a phone
# Letters of Streamlit's own sizes, in pixels: it takes them from the page's, which presenter mode makes larger, before
# it enlarges the whole chart.
LETTERS = {
    "axis": {"labelFontSize": 12, "titleFontSize": 14, "labelPadding": 16, "titlePadding": 16},
    "legend": {"labelFontSize": 14, "titleFontSize": 14, "labelPadding": 16, "columnPadding": 8, "padding": 8},
}

Spec = dict[str, Any]
Values = Sequence[Any] | NDArray[Any]
Columns = Mapping[str, Values]
Look = tuple[int, int]  # which color, and which dash or shape


class Whole(TypedDict, total=False):
    """Options of every picture.

    Keys:
        title: above it.
        height: in css pixels, with one row of names; further rows that a phone needs are added.
        mode: "light" or "dark"; a page gives its own.
        alt: the picture in words; "": written from its columns.
        takeaway: a sentence that stands before those words.
        key: of its place on the page; "": its number within the exhibit.
    """

    title: str
    height: int
    mode: Mode
    alt: str
    takeaway: str
    key: str


@dataclass(frozen=True)
class Layer:
    """One mark over columns."""

    mark: Mapping[str, Any]  # of Vega-Lite, with a color by its place in the palette, as "ink" or as "accent"
    columns: Columns  # name -> values, all of one length
    channels: Mapping[str, str]  # channel -> column; "name" is told apart by color and by dash or shape
    tip: Sequence[tuple[str, str, str]] = ()  # (column, title, format) of each line under the pointer
    when: str = ""  # an expression of Vega; rows for which it is false are not drawn
    data: str = ""  # what its rows are called in the picture's data
    more: Mapping[str, object] = field(default_factory=dict)  # further channels as Vega-Lite has them


def plot(
    layers: Sequence[Layer],
    *,
    x: Axis,
    y: Axis,
    names: Mapping[str, Look] | Sequence[str] = (),
    legend: str | None = "stroke",
    **whole: Any,
) -> Spec:
    """Return a Vega-Lite specification.

    Args:
        layers: from back to front. One without rows is left out, but for the first one.
        x, y: the axes that all of them share.
        names: what the columns "name" may hold, with their looks; in the order of the legend.
        legend: what stands beside each name: "stroke", "square" or a shape; None: there is no legend.
        whole: see `Whole`.

    Raises:
        ValueError: if the columns of a layer differ in length, or one of a channel is not there.
    """
    mode: Mode = whole.get("mode", "light")
    looks = names if isinstance(names, Mapping) else default_looks(names)
    data: dict[str, list[dict[str, object]]] = {}
    called: dict[int, str] = {}
    lengths = [_length(layer) for layer in layers]
    kept = [layer for i, layer in enumerate(layers) if i == 0 or lengths[i]]
    along = {axis: [one for layer in kept for one in _numbers(layer, axis)] for axis in ("x", "y")}
    axes = {"x": x.fit(along["x"]), "y": y.fit(along["y"])}
    drawn: list[Spec] = []
    for layer in kept:
        name = called.get(id(layer.columns)) or _unused(
            layer.data or ("rows" if not data else layer.mark["type"]), data
        )
        if id(layer.columns) not in called:
            called[id(layer.columns)], data[name] = name, _rows(layer)
        encoding = {
            channel: axes[channel].channel(layer.channels[channel], along[channel], channel == "x")
            for channel in ("x", "y")
            if channel in layer.channels
        }
        encoding |= _others(layer, looks, legend, mode, x.labels is not None)
        one: Spec = {"data": {"name": name}, "mark": _colored(layer.mark, mode), "encoding": encoding}
        drawn.append(one | ({"transform": [{"filter": layer.when}]} if layer.when else {}))
    return {
        "$schema": SCHEMA,
        "config": LETTERS,
        "data": {"name": "rows"},
        "layer": drawn,
        "datasets": data,
        "height": whole.get("height", 300) + (_legend_rows(list(looks)) if legend else 0),
        **_autosize(axes["y"]),
        **({"title": {"text": whole["title"], "anchor": "start", "fontSize": 14}} if whole.get("title") else {}),
        **({"name": whole["key"]} if whole.get("key") else {}),
        "description": " ".join(filter(None, [whole.get("takeaway"), whole.get("alt")])).replace("*", ""),
    }


def table(rows: Sequence[Sequence[object]], *names: str) -> dict[str, list[Any]]:
    """Columns by name, of rows; what stands behind the last name is left out."""
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def default_looks(names: Iterable[str]) -> dict[str, Look]:
    """A color and a dash for each name, in their order; the ninth color is the first with another dash."""
    return {name: (i, (i // 8 + i) % 8) for i, name in enumerate(names)}


def row_height(n_row: int, pixels: int) -> int:
    """The height of a picture with one row for each name."""
    return max(pixels, pixels * n_row)


def resolve_color(color: int | str, mode: Mode) -> str:
    """A color of the palette by its place, "ink", "accent", "page", or as it is."""
    if isinstance(color, int):
        inks = categorical(mode)
        return inks[color % len(inks)]
    return {"ink": categorical(mode)[7], "accent": accent(mode), "page": page(mode)}.get(color, color)


def _others(layer: Layer, looks: Mapping[str, Look], legend: str | None, mode: Mode, is_upright: bool) -> Spec:
    encoding: Spec = {c: {"field": layer.channels[c]} for c in ("x2", "y2") if c in layer.channels}
    if "text" in layer.channels:
        encoding["text"] = {"field": layer.channels["text"], "type": "nominal"}
    if "offset" in layer.channels:
        scale = {"domain": list(looks)}
        encoding["xOffset" if is_upright else "yOffset"] = {
            "field": layer.channels["offset"],
            "type": "nominal",
            "scale": scale,
            "sort": None,
        }
    if column := layer.channels.get("name"):
        encoding |= _told_apart(layer.mark["type"], column, looks, legend, mode)
    if layer.tip:
        encoding["tooltip"] = [_tip(*one, layer) for one in layer.tip]
    return encoding | _colored(layer.more, mode)


def _told_apart(kind: str, column: str, looks: Mapping[str, Look], legend: str | None, mode: Mode) -> Spec:
    """A color for each name, and a dash or a shape: color is never the only sign.

    A shape has no scale, so no legend: one that is hidden, or another than that of the color, makes Vega warn.
    """
    colors = {"domain": list(looks), "range": [resolve_color(color, mode) for color, _ in looks.values()]}
    color: Spec = {"field": column, "type": "nominal", "title": None, "scale": colors, "legend": _legend(looks, legend)}
    if kind in ("line", "trail"):
        dashes = [list(DASHES[dash % len(DASHES)]) for _, dash in looks.values()]
        dash: Spec = {
            "field": column,
            "type": "nominal",
            "title": None,
            "scale": {"domain": list(looks), "range": dashes},
        }
        return {"color": color, "strokeDash": dash if legend else dash | {"legend": None}}
    if kind == "point" and legend == "shape":  # both have one domain, and so one legend
        shapes = {"domain": list(looks), "range": [SHAPES[shape % len(SHAPES)] for _, shape in looks.values()]}
        return {"color": color, "shape": {**color, "scale": shapes}}
    return {"color": color}


def look_by_name(column: str, looks: Mapping[str, object]) -> Spec:
    """A channel that has a look for each name, without a scale and so without a legend; the first is that of others."""
    tests = [
        {"test": f"datum[{json.dumps(column)}] === {json.dumps(name)}", "value": one} for name, one in looks.items()
    ]
    return {"condition": tests, "value": next(iter(looks.values()), None)}


def _legend(looks: Mapping[str, Look], kind: str | None) -> Spec | None:
    """Names above the chart, so many beside each other as there is room for, on a phone as on a wide screen."""
    if kind is None:
        return None
    names = list(looks)
    wide = [(n, sum(LETTER * max(map(len, names[i::n])) + 40 for i in range(n))) for n in range(len(names), 1, -1)]
    columns = {"expr": "".join(f"width >= {pixels} ? {n} : " for n, pixels in wide) + "1"}
    if kind == "shape":
        return {"orient": "top", "columns": columns, "labelLimit": 420}
    sign = {"symbolStrokeWidth": 3, "symbolSize": 420} if kind == "stroke" else {}
    return {"orient": "top", "symbolType": kind, "columns": columns, "labelLimit": 420, "symbolOpacity": 1, **sign}


def _legend_rows(names: Sequence[str]) -> int:
    """Pixels that further rows of names take on a phone."""
    columns = 2 if max(map(len, names), default=0) <= TWO_BESIDE else 1
    return LEGEND_ROW * max(0, math.ceil(len(names) / columns) - 1)


def _autosize(y: Axis) -> Spec:
    """With names at the side Streamlit would ask Vega to fit the height, of which Vega warns."""
    return {} if y.labels is None else {"autosize": {"type": "fit-x", "contains": "padding"}}


def _tip(column: str, title: str, form: str, layer: Layer) -> Spec:
    values = layer.columns.get(column, ())
    kind = "nominal" if any(isinstance(one, str) for one in values[:1]) else "quantitative"
    more = {"format": form} if form and kind == "quantitative" else {}
    return {"field": column, "type": kind, "title": title or column, **more}


def _colored(mark: Mapping[str, object], mode: Mode) -> Spec:
    colors = {"color", "fill", "stroke"}
    return {k: resolve_color(v, mode) if k in colors and isinstance(v, int | str) else v for k, v in mark.items()}


def _unused(name: str, data: Mapping[str, object]) -> str:
    return name if name not in data else next(f"{name} {i}" for i in range(2, 100) if f"{name} {i}" not in data)


def _length(layer: Layer) -> int:
    lengths = {name: len(values) for name, values in layer.columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of a picture are equally long, not {lengths}")
    if missing := {*layer.channels.values()} - set(lengths):
        raise ValueError(f"the picture needs {sorted(missing)}; there are the columns {list(lengths)}")
    return next(iter(lengths.values()), 0)


def _numbers(layer: Layer, axis: str) -> list[float]:
    columns = [layer.channels[one] for one in (axis, f"{axis}2") if one in layer.channels]
    return [
        float(one) for name in columns for one in layer.columns[name] if one is not None and not isinstance(one, str)
    ]


def _rows(layer: Layer) -> list[dict[str, object]]:
    """Rows for JSON: what is no number is null, which is drawn nowhere."""
    columns = {name: [_plain(one) for one in values] for name, values in layer.columns.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.7g}") if math.isfinite(value) else None
    return value
