"""Charts made of layers: each layer is a mark over columns (`core.charts.marks`); axes and names are shared.

    columns = {"size": [1e3, 1e4], "loss": [2.1, 1.7], "model": ["narrow", "wide"]}
    plot([line(columns, x="size", y="loss", name="model")], x=Axis("parameters", is_log=True), y=Axis("loss"))

The result is a plain dictionary, so a chart takes a tenth of a millisecond and controls respond immediately.
"""

import json
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from core.charts.axis import Axis
from core.charts.theme import ThemeMode, accent_color, categorical_colors, page_color
from core.data.localization.locales import number_separators

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  # an identifier; nothing is downloaded
_DASHES = ((1, 0), (7, 4), (2, 3), (9, 3, 2, 3), (4, 2), (1, 3), (12, 4), (6, 2, 2, 2))
POINT_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_LEGEND_ROW = 20  # css pixels
_LETTER_WIDTH = 8  # css pixels: width of a letter in a legend or an axis title, with some margin
_TITLE_WIDTH = 400  # css pixels: room for the title of a horizontal axis
_MAX_PAIRED_NAME = 14  # two names of this many characters fit next to each other on a phone
# Font sizes of Streamlit, in pixels. It derives them from the page's, which presenter mode makes larger, before it
# enlarges the whole chart.
_FONT_SIZES = {
    "axis": {"labelFontSize": 12, "titleFontSize": 14, "labelPadding": 16, "titlePadding": 16},
    "legend": {"labelFontSize": 14, "titleFontSize": 14, "labelPadding": 16, "columnPadding": 8, "padding": 8},
}
_DECIMAL, _THOUSANDS = number_separators()
_NUMBER_FORMAT: dict[str, Any] = (  # Vega's own is English
    {}
    if (_DECIMAL, _THOUSANDS) == (".", ",")
    else {"locale": {"number": {"decimal": _DECIMAL, "thousands": _THOUSANDS, "grouping": [3], "currency": ["", ""]}}}
)

Spec = dict[str, Any]
Values = Sequence[Any] | NDArray[Any]
Columns = Mapping[str, Values]
SeriesStyle = tuple[int, int]  # (index of the color, index of the dash or shape)


class ChartOptions(TypedDict, total=False):
    """Options of every chart.

    Keys:
        title: above the chart.
        height: in css pixels, with one row of names in the legend; more rows on a phone are added to it.
        mode: "light" or "dark"; a page passes its own.
        alt: the chart in words; "": generated from its columns.
        takeaway: a sentence that precedes these words.
        key: of its position on the page; "": its number within the exhibit.
    """

    title: str
    height: int
    mode: ThemeMode
    alt: str
    takeaway: str
    key: str


@dataclass(frozen=True)
class ChartLayer:
    """A mark over columns."""

    mark: Mapping[str, Any]  # a Vega-Lite mark, whose color is an index in the palette, "ink" or "accent"
    columns: Columns  # name -> values, all of one length
    channels: Mapping[str, str]  # channel -> column; "name" is shown by color and by dash or shape
    tip: Sequence[tuple[str, str, str]] = ()  # (column, title, format) of each line of the tooltip
    when: str = ""  # a Vega expression; rows for which it is false are not drawn
    data: str = ""  # name of its rows in the chart's data
    more: Mapping[str, object] = field(default_factory=dict)  # further channels in Vega-Lite's form


def plot(
    layers: Sequence[ChartLayer],
    *,
    x: Axis,
    y: Axis,
    names: Mapping[str, SeriesStyle] | Sequence[str] = (),
    legend: str | None = "stroke",
    **whole: Any,
) -> Spec:
    """Return a Vega-Lite specification.

    Args:
        layers: from back to front. Layers without rows are left out, except the first.
        x, y: the axes that all layers share.
        names: the possible values of the columns "name" with their looks, in the order of the legend.
        legend: the symbol next to each name: "stroke", "square" or a shape; None: no legend.
        whole: see `ChartOptions`.

    Raises:
        ValueError: if the columns of a layer differ in length, or the column of a channel is missing.
    """
    mode: ThemeMode = whole.get("mode", "light")
    looks = names if isinstance(names, Mapping) else default_series_styles(names)
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
        for channel, room in (("x", _TITLE_WIDTH), ("y", whole.get("height", 300))):
            if channel in encoding:
                encoding[channel]["title"] = _wrapped(encoding[channel]["title"], room)
        encoding |= _others(layer, looks, legend, mode, x.labels is not None)
        one: Spec = {"data": {"name": name}, "mark": _colored(layer.mark, mode), "encoding": encoding}
        drawn.append(one | ({"transform": [{"filter": layer.when}]} if layer.when else {}))
    return {
        "$schema": _SCHEMA,
        "config": _FONT_SIZES | _NUMBER_FORMAT,
        "data": {"name": "rows"},
        "layer": drawn,
        "datasets": data,
        "height": whole.get("height", 300) + (_legend_rows(list(looks)) if legend else 0),
        **_autosize(axes["y"]),
        **({"title": {"text": whole["title"], "anchor": "start", "fontSize": 14}} if whole.get("title") else {}),
        **({"name": whole["key"]} if whole.get("key") else {}),
        "description": " ".join(filter(None, [whole.get("takeaway"), whole.get("alt")])).replace("*", ""),
    }


def _wrapped(title: object, room: int) -> object:
    """Break the title of an axis that is longer than its room into lines."""
    lines = textwrap.wrap(title, room // _LETTER_WIDTH) if isinstance(title, str) else []
    return lines if len(lines) > 1 else title


def columns_from_rows(rows: Sequence[Sequence[object]], *names: str) -> dict[str, list[Any]]:
    """Convert rows to columns by name; values after the last name are left out."""
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def default_series_styles(names: Iterable[str]) -> dict[str, SeriesStyle]:
    """Return a color and a dash for each name, in order; the ninth color is the first with a different dash."""
    return {name: (i, (i // 8 + i) % 8) for i, name in enumerate(names)}


def chart_height_for_rows(n_row: int, pixels: int) -> int:
    """Return the height of a chart with a row for each name."""
    return max(pixels, pixels * n_row)


def resolve_color(color: int | str, mode: ThemeMode) -> str:
    """Return a color by its index in the palette, "ink", "accent", "page", or a CSS color unchanged."""
    if isinstance(color, int):
        inks = categorical_colors(mode)
        return inks[color % len(inks)]
    return {"ink": categorical_colors(mode)[7], "accent": accent_color(mode), "page": page_color(mode)}.get(
        color, color
    )


def _others(
    layer: ChartLayer, looks: Mapping[str, SeriesStyle], legend: str | None, mode: ThemeMode, is_upright: bool
) -> Spec:
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


def _told_apart(kind: str, column: str, looks: Mapping[str, SeriesStyle], legend: str | None, mode: ThemeMode) -> Spec:
    """Return the channels for names: a color, and a dash or a shape, so color is never the only difference.

    A shape gets no scale and so no legend, because Vega warns if it is hidden or differs from the color's legend.
    """
    colors = {"domain": list(looks), "range": [resolve_color(color, mode) for color, _ in looks.values()]}
    color: Spec = {"field": column, "type": "nominal", "title": None, "scale": colors, "legend": _legend(looks, legend)}
    if kind in ("line", "trail"):
        dashes = [list(_DASHES[dash % len(_DASHES)]) for _, dash in looks.values()]
        dash: Spec = {
            "field": column,
            "type": "nominal",
            "title": None,
            "scale": {"domain": list(looks), "range": dashes},
        }
        return {"color": color, "strokeDash": dash if legend else dash | {"legend": None}}
    if kind == "point" and legend == "shape":  # both have the same domain, and so a common legend
        shapes = {
            "domain": list(looks),
            "range": [POINT_SHAPES[shape % len(POINT_SHAPES)] for _, shape in looks.values()],
        }
        return {"color": color, "shape": {**color, "scale": shapes}}
    return {"color": color}


def style_channel_by_name(column: str, looks: Mapping[str, object]) -> Spec:
    """Return a channel with a look for each name, without scale and legend; other names get the first look."""
    tests = [
        {"test": f"datum[{json.dumps(column)}] === {json.dumps(name)}", "value": one} for name, one in looks.items()
    ]
    return {"condition": tests, "value": next(iter(looks.values()), None)}


def _legend(looks: Mapping[str, SeriesStyle], kind: str | None) -> Spec | None:
    """Return a legend above the chart, with as many names per row as fit, on a phone and on a wide screen."""
    if kind is None:
        return None
    names = list(looks)
    wide = [
        (n, sum(_LETTER_WIDTH * max(map(len, names[i::n])) + 40 for i in range(n))) for n in range(len(names), 1, -1)
    ]
    columns = {"expr": "".join(f"width >= {pixels} ? {n} : " for n, pixels in wide) + "1"}
    if kind == "shape":
        return {"orient": "top", "columns": columns, "labelLimit": 420}
    sign = {"symbolStrokeWidth": 3, "symbolSize": 420} if kind == "stroke" else {}
    return {"orient": "top", "symbolType": kind, "columns": columns, "labelLimit": 420, "symbolOpacity": 1, **sign}


def _legend_rows(names: Sequence[str]) -> int:
    """Return the height in pixels of additional legend rows on a phone."""
    columns = 2 if max(map(len, names), default=0) <= _MAX_PAIRED_NAME else 1
    return _LEGEND_ROW * max(0, math.ceil(len(names) / columns) - 1)


def _autosize(y: Axis) -> Spec:
    """Return the autosize setting. With names on the y axis, Streamlit's own would make Vega warn about the height."""
    return {} if y.labels is None else {"autosize": {"type": "fit-x", "contains": "padding"}}


def _tip(column: str, title: str, form: str, layer: ChartLayer) -> Spec:
    values = layer.columns.get(column, ())
    kind = "nominal" if any(isinstance(one, str) for one in values[:1]) else "quantitative"
    more = {"format": form} if form and kind == "quantitative" else {}
    return {"field": column, "type": kind, "title": title or column, **more}


def _colored(mark: Mapping[str, object], mode: ThemeMode) -> Spec:
    colors = {"color", "fill", "stroke"}
    return {k: resolve_color(v, mode) if k in colors and isinstance(v, int | str) else v for k, v in mark.items()}


def _unused(name: str, data: Mapping[str, object]) -> str:
    return name if name not in data else next(f"{name} {i}" for i in range(2, 100) if f"{name} {i}" not in data)


def _length(layer: ChartLayer) -> int:
    lengths = {name: len(values) for name, values in layer.columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of a picture are equally long, not {lengths}")
    if missing := {*layer.channels.values()} - set(lengths):
        raise ValueError(f"the picture needs {sorted(missing)}; there are the columns {list(lengths)}")
    return next(iter(lengths.values()), 0)


def _numbers(layer: ChartLayer, axis: str) -> list[float]:
    columns = [layer.channels[one] for one in (axis, f"{axis}2") if one in layer.channels]
    return [
        float(one) for name in columns for one in layer.columns[name] if one is not None and not isinstance(one, str)
    ]


def _rows(layer: ChartLayer) -> list[dict[str, object]]:
    """Return the rows for JSON; NaN and infinity become null, which is not drawn."""
    columns = {name: [_plain(one) for one in values] for name, values in layer.columns.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.7g}") if math.isfinite(value) else None
    return value
