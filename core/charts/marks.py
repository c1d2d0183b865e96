"""Marks, the layers of a chart: `plot([line(columns, x="step", y="loss", name="model")], x=…, y=…)`.

Each takes a table (columns of equal length, by name) and the column of each channel. Further keywords are properties of
the Vega-Lite mark; a color is an index in the palette, "ink", "accent" or "page".
"""

from collections.abc import Sequence
from typing import Any

from core.charts.plot import POINT_SHAPES, ChartLayer, Columns, SeriesStyle, style_channel_by_name

TooltipLines = Sequence[tuple[str, str, str]]  # column, title and format of each line under the pointer


def vega_lite_mark_layer(kind: str, columns: Columns, channels: dict[str, Any], look: dict[str, Any]) -> ChartLayer:
    """Create a layer with any Vega-Lite mark. A channel whose value is not a column is a position in pixels.

    look: further properties, and `tip`, `when`, `data` and `more` of the layer; `offset`: the column whose names are
    drawn side by side.
    """
    places = {name: one for name, one in channels.items() if one in ("width", "height") or isinstance(one, int | float)}
    channels, look = {name: one for name, one in channels.items() if name not in places}, {**look, **places}
    about = {name: look.pop(name) for name in ("tip", "when", "data", "more") if name in look}
    channels["offset"] = look.pop("offset", None)
    return ChartLayer({"type": kind, **look}, columns, {k: v for k, v in channels.items() if v is not None}, **about)


def line_layer(columns: Columns, x: str, y: str, name: str | None = None, **look: object) -> ChartLayer:
    """Draw a line through the rows in their order, one for each name."""
    return vega_lite_mark_layer(
        "line", columns, {"x": x, "y": y, "name": name}, {"strokeWidth": 2.5, "clip": True, **look}
    )


def dot_layer(columns: Columns, x: str, y: str, name: str | None = None, **look: object) -> ChartLayer:
    """Draw a dot for each row."""
    look = {"filled": True, "size": 70, "opacity": 1, **look}
    return vega_lite_mark_layer("point", columns, {"x": x, "y": y, "name": name}, look)


def bar_layer(columns: Columns, x: str, y: str, name: str | None = None, **look: object) -> ChartLayer:
    """Draw a bar for each row, from 0 to its value."""
    return vega_lite_mark_layer("bar", columns, {"x": x, "y": y, "name": name}, {"cornerRadiusEnd": 2, **look})


def band_layer(columns: Columns, x: str, low: str, high: str, name: str | None = None, **look: object) -> ChartLayer:
    """Draw a pale band from the low to the high column."""
    return vega_lite_mark_layer(
        "area", columns, {"x": x, "y": low, "y2": high, "name": name}, {"opacity": 0.18, "clip": True, **look}
    )


def horizontal_interval_layer(columns: Columns, y: str, low: str, high: str, **look: object) -> ChartLayer:
    """Draw a horizontal stroke from the low to the high column, such as an interval."""
    return vega_lite_mark_layer(
        "rule", columns, {"x": low, "x2": high, "y": y}, {"strokeWidth": 1.5, "color": "ink", **look}
    )


def vertical_interval_layer(
    columns: Columns, x: str, low: str, high: str, name: str | None = None, **look: object
) -> ChartLayer:
    """Draw a vertical stroke from the low to the high column."""
    return vega_lite_mark_layer(
        "rule", columns, {"x": x, "y": low, "y2": high, "name": name}, {"strokeWidth": 2, **look}
    )


def rule_layer(columns: Columns, x: str | None = None, y: str | None = None, **look: object) -> ChartLayer:
    """Draw a dashed line across the chart at each value: vertical at x, horizontal at y."""
    look = {"strokeDash": [5, 4], "strokeWidth": 1.5, "color": "ink", "opacity": 0.8, **look}
    return vega_lite_mark_layer("rule", columns, {"x": x, "y": y}, look)


def tick_layer(columns: Columns, x: str, y: str, **look: object) -> ChartLayer:
    """Draw a vertical stroke through a bar."""
    return vega_lite_mark_layer(
        "tick", columns, {"x": x, "y": y}, {"thickness": 2, "bandSize": 24, "color": "ink", "opacity": 1, **look}
    )


def text_layer(
    columns: Columns, words: str, x: str | float | None, y: str | float | None, **look: object
) -> ChartLayer:
    """Print the text of a column; x and y are columns, or positions: pixels, "width", "height"."""
    return vega_lite_mark_layer(
        "text", columns, {"text": words, "x": x, "y": y}, {"fontSize": 12, "color": "ink", **look}
    )


def halo_text_layers(columns: Columns, words: str, x: str | float, y: str | float, **look: object) -> list[ChartLayer]:
    """Print text with a rim of the page's color, so that it stays readable over lines."""
    rim = {"stroke": "page", "strokeWidth": 4, "strokeJoin": "round"}
    return [text_layer(columns, words, x, y, **look, **rim), text_layer(columns, words, x, y, **look)]


def hover_layer(
    columns: Columns, x: str, y: str, tip: TooltipLines, name: str | None = None, size: int = 120
) -> ChartLayer:
    """Add invisible larger dots, so that the pointer finds each row more easily."""
    return dot_layer(columns, x, y, name, filled=False, size=size, opacity=0, clip=True, tip=tip)


def shape_by_name(column: str, names: dict[str, SeriesStyle]) -> dict[str, object]:
    """Return the channel of a shape for each name, in addition to its color."""
    return {
        "shape": style_channel_by_name(
            column, {name: POINT_SHAPES[shape % len(POINT_SHAPES)] for name, (_, shape) in names.items()}
        )
    }
