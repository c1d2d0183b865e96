"""A figure is drawn by Altair once for each set of names and titles; then the numbers of each run are put into it.

A page runs again at each touch of a control, and a chart costs Altair 10 to 30 milliseconds. So what a chart draws is
kept, and `figure` copies it in some hundredths of one. The rows stand beside it by name; what else changes with every
number (the ends of an axis, its ticks) is a `hole` in it.

A layer shows the rows named "rows", or those that it asks for, as `of("marks")`.
"""

import functools
import json
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from core.charts.theme import Mode, categorical, page

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  # a name that programs compare; nothing fetches it
DASHES = ((1, 0), (7, 4), (2, 3), (9, 3, 2, 3), (4, 2), (1, 3), (12, 4), (6, 2, 2, 2))
LEGEND_ROW = 20  # css pixels
LETTER = 8  # of a legend, with something to spare
# Letters of Streamlit's own sizes, in pixels: it takes them from the page's, which presenter mode makes larger, before
# it enlarges the whole chart.
LETTERS = {
    "axis": {"labelFontSize": 12, "titleFontSize": 14, "labelPadding": 16, "titlePadding": 16},
    "legend": {"labelFontSize": 14, "titleFontSize": 14, "labelPadding": 16, "columnPadding": 8, "padding": 8},
}
N_TEMPLATE = 1024  # some kilobytes each
_DIGITS = 3

Spec = dict[str, Any]
Rows = Sequence[Mapping[str, Any]]

Drawn = Any  # a layer, a channel or another part of a chart, as Altair has it


class _Altair:
    """Altair, imported with the first chart: it takes 0.3 seconds."""

    def __getattr__(self, name: str) -> Any:
        import altair

        # It would check every part, which takes longest, and a hole is nothing it knows. Tests check the whole.
        altair.utils.schemapi.disable_debug_mode()
        setattr(self, name, getattr(altair, name))
        return getattr(altair, name)


alt: Any = _Altair()


def hole(name: str) -> Any:
    """A place in a drawing, for a value that `figure` is given by this name."""
    return {"hole": name}


def of(name: str) -> Drawn:
    """A layer of other data than "rows"."""
    return alt.Chart(alt.NamedData(name))


def figure(
    draw: Callable[[], Drawn],
    data: Mapping[str, Any],
    values: Mapping[str, Any] | None = None,
    **whole: Any,
) -> Spec:
    """A Vega-Lite specification: what was drawn, with its holes filled, and the data.

    The data have names because Streamlit gives named rows to Vega before the first drawing. Plain `values` come after
    it, when scales have been made from nothing, of which Vega warns ("Infinite extent").

    Args:
        draw: is called once for all figures that agree in the variables it takes from around it; these are hashable.
        data: rows by name; NaN and infinity become null, which is drawn nowhere and which JSON allows. A layer is left
            out where its rows are None: an empty one has no name for a screen reader.
        values: what stands in the holes.
        whole: properties of the whole picture: height, padding, title.
    """
    variables = tuple(cell.cell_contents for cell in draw.__closure__ or ())
    spec: Spec = _filled(_template(_Drawing(draw.__code__, variables, draw)), values or {})
    given = {name: [_finite(row) for row in rows] for name, rows in data.items() if rows is not None}
    spec["layer"] = [layer for layer in spec["layer"] if layer.get("data", spec["data"])["name"] in given]
    return spec | {"datasets": given} | whole


def _finite(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row with null in place of what is no number."""
    if all(not isinstance(one, float) or math.isfinite(one) for one in row.values()):
        return row
    return {name: None if isinstance(one, float) and not math.isfinite(one) else one for name, one in row.items()}


@dataclass(frozen=True)
class _Drawing:
    """A function that draws; the same as another with its code and the same variables from around it."""

    code: CodeType
    variables: tuple[Hashable, ...]
    draw: Callable[[], Drawn] = field(compare=False)


@functools.lru_cache(N_TEMPLATE)
def _template(drawing: _Drawing) -> Spec:
    chart = drawing.draw()
    chart.data = alt.NamedData("rows")
    spec = chart.to_dict(validate=False)
    return spec | {"$schema": SCHEMA, "config": LETTERS}  # without Altair's own look


def _filled(part: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(part, dict):
        return values[part["hole"]] if "hole" in part else {name: _filled(one, values) for name, one in part.items()}
    return [_filled(one, values) for one in part] if isinstance(part, list) else part


def whole_ticks(numbers: Iterable[Any]) -> Spec:
    """What keeps the ticks of an axis from standing between two whole numbers; nothing where the numbers are others."""
    return {"tickMinStep": 1} if all(float(one).is_integer() for one in numbers if math.isfinite(one)) else {}


def row_height(n_row: int, pixels: int, n_offset: int = 1) -> Spec:
    """The height of a chart with one row for each name, for `figure`.

    It is a number, and not left to Vega ("step"): Streamlit asks Vega to fit the picture, of which Vega warns then.

    pixels: of each row, or of each of the n_offset bars that share one.
    """
    height = pixels * n_row if n_offset == 1 else round(pixels * n_offset * (n_row + 0.2) * 1.25)  # with Vega's gaps
    return {"height": max(pixels, height), "autosize": {"type": "fit-x", "contains": "padding"}}


def headed(title: str) -> Spec:
    """A title above the chart, for `figure`; none where it is empty."""
    return {"title": {"text": title, "anchor": "start", "fontSize": 14}} if title else {}


def placed(tokens: Sequence[str]) -> list[str]:
    """The tokens as values of the field "place". Two that look alike stay two places: a number stands before each."""
    return [f"{i:0{_DIGITS}d}{token}" for i, token in enumerate(tokens)]


def by_place(channel: Any, title: str | None = None, **axis: Any) -> Any:
    """An axis (`alt.X` or `alt.Y`) of tokens in their order: the field "place", see `placed`, without its numbers."""
    labels = {"labelExpr": f"slice(datum.label, {_DIGITS})", "labelFont": "JetBrains Mono, monospace"}
    return channel("place:N", sort=None, title=title, axis=alt.Axis(**labels, labelOverlap=False, **axis))


def by_name(channel: Any, field: str, looks: Mapping[str, Any]) -> Any:
    """A look for each name of a field, beside a color that tells them apart, too.

    There is no scale, so no legend: one that is hidden, or another than that of the color, makes Vega warn. The channel
    is one such as `alt.ShapeValue`; the first look is that of all other names.
    """
    tests = [{"test": f"datum[{json.dumps(field)}] === {json.dumps(name)}", "value": v} for name, v in looks.items()]
    return channel(next(iter(looks.values())), condition=tests)


def strokes(names: Sequence[str] = (), **more: Any) -> Drawn:
    """Names above the chart, each with a piece of its line, long enough to tell the dashes apart.

    names: of them so many stand side by side as the picture is wide enough for, on a phone as on a wide screen.
    """
    if names:
        wide = [(n, sum(LETTER * max(map(len, names[i::n])) + 40 for i in range(n))) for n in range(len(names), 1, -1)]
        more["columns"] = {"expr": "".join(f"width >= {pixels} ? {n} : " for n, pixels in wide) + "1"}
    return alt.Legend(orient="top", symbolType="stroke", symbolStrokeWidth=3, symbolSize=420, **more)


def told_apart(
    field: str,
    names: Sequence[str],
    mode: Mode,
    legend: Any,
    title: str | None = None,
    *,
    colors: Sequence[int] = (),
    dashes: Sequence[Sequence[int]] = (),
) -> tuple[Drawn, Drawn]:
    """A color and a dash for each name of a field. Color is never the only sign.

    colors: places among the categorical colors; without them, and without dashes, one after the other.
    """
    inks, n = categorical(mode), len(names)
    color_scale = alt.Scale(domain=list(names), range=[inks[i % len(inks)] for i in colors or range(n)])
    dash_scale = alt.Scale(domain=list(names), range=list(dashes) or [DASHES[i % len(DASHES)] for i in range(n)])
    return (
        alt.Color(f"{field}:N", title=title, scale=color_scale, legend=legend),
        alt.StrokeDash(f"{field}:N", title=title, scale=dash_scale),
    )


def tooltip(*fields: tuple[str, ...]) -> list[Drawn]:
    """What is read under the pointer: field, title (without one, the field's name) and format of each line."""
    keys = ("title", "format")
    return [alt.Tooltip(field, **{k: v for k, v in zip(keys, more, strict=False) if v}) for field, *more in fields]


def by_pointer(base: Drawn, tooltip: list[Drawn], size: int = 120, **mark: Any) -> Drawn:
    """Nothing to see: a wider place for the pointer to find each point."""
    return base.mark_point(size=size, opacity=0, **mark).encode(tooltip=tooltip)


def upright(data: str, x: Drawn, color: str, dx: int, y: int = 10) -> list[Drawn]:
    """A dashed upright line at the place of the one row of these data, and its "label" beside it, y px from the top.

    dx: how far right of the line the label begins; below 0: how far left of it the label ends.
    """
    base = alt.Chart(alt.NamedData(data)).encode(x)
    name = base.mark_text(align="left" if dx > 0 else "right", dx=dx, fontSize=12, fontWeight=600, color=color)
    rule = base.mark_rule(strokeDash=[5, 4], strokeWidth=1.5, color=color)
    return [rule, name.encode(alt.YValue(y), alt.Text("label:N"))]


def rim(mode: Mode) -> Spec:
    """The look of a text drawn below itself, so that it is read where a line runs behind."""
    return {"stroke": page(mode), "strokeWidth": 4, "strokeJoin": "round"}
