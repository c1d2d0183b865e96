"""Curves over many powers of ten. What is exactly 0, or beyond all numbers, has no place there and is marked."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from core.charts.figure import (
    LEGEND_ROW,
    Drawn,
    Spec,
    alt,
    by_pointer,
    figure,
    headed,
    hole,
    of,
    strokes,
    told_apart,
    tooltip,
)
from core.charts.theme import Mode, categorical

SHORT = 9  # letters: two names as short as this fit beside each other in half of a projector's width
ZERO, BEYOND = "exactly 0", "beyond float32"
_SHAPES = ("circle", "square", "triangle-up", "diamond")
_SIGNS = "●■▲◆"  # the same, as letters
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class DecadeCurve:
    """One curve."""

    name: str  # in the legend; must differ from the others'
    x: Sequence[float] | NDArray[Any]  # rising
    y: Sequence[float] | NDArray[Any]  # at least 0; infinite and not-a-number are marked too
    look: int = 0  # which color and shape it has; two curves may share them if one of them is dashed
    dashed: bool = False


def size_text(value: float) -> str:
    """A size in a text: 0.82, 5.7·10⁻⁶, or in words what has no place on the axis."""
    if not math.isfinite(value):
        return BEYOND
    if value == 0:
        return ZERO
    if 1e-3 <= value < 1e4:
        return f"{value:.2g}" if value < 100 else f"{value:,.0f}"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits}·{_ten_to(int(power))}"


def decades(
    curves: Sequence[DecadeCurve],
    *,
    x_title: str,
    y_title: str,
    title: str,
    doubling: bool = False,
    x_limits: tuple[float, float] | None = None,
    lowest: float | None = None,
    mode: Mode = "light",
    height: int = 400,
) -> Spec:
    """A Vega-Lite specification with a logarithmic upright axis.

    A value of 0 is a cross on the lower edge, one beyond float32 a cross on the upper edge. Both say so in words, and
    no line leads to them.

    Args:
        doubling: whether x doubles from tick to tick.
        x_limits: the ends of the flat axis; None: from the lowest to the highest x.
        lowest: where the upright axis begins at the latest; None: below the lowest value.

    Raises ValueError if a curve's x and y differ in length, two have one name, a value is below 0, or there is none.
    """
    names = tuple(curve.name for curve in curves)
    if len(set(names)) != len(names):
        raise ValueError(f"the names of the curves must differ, not {list(names)}")
    rows = [row for curve in curves for row in _rows(curve)]
    if not rows:
        raise ValueError("there are no values to draw")
    low, high = _limits([row["y"] for row in rows if row["kind"] == "value"], lowest)
    for row in rows:
        if row["kind"] != "value":
            row["y"] = high if row["kind"] == BEYOND else low
    first, last = x_limits or (min(row["x"] for row in rows), max(row["x"] for row in rows))
    data, sides = {"rows": rows}, {}
    for kind, y in ((ZERO, low), (BEYOND, high)):  # what the crosses on an edge mean is written where there is room
        if there := [row["x"] for row in rows if row["kind"] == kind]:
            sides[kind] = "left" if min(there) <= first else "right"
            data[kind] = [{"x": min(there) if sides[kind] == "left" else max(there), "y": y}]
    columns = 2 if max(map(len, names), default=0) <= SHORT else 1
    looks, dashed = tuple(curve.look for curve in curves), tuple(curve.dashed for curve in curves)
    edges = tuple(sides.items())

    def draw() -> Drawn:
        x = alt.X("x:Q", title=x_title)
        if doubling:
            x = x.scale(type="log", base=2, domain=hole("x_ends"), nice=False).axis(
                values=hole("doublings"), format="d"
            )
        else:
            x = x.scale(domain=hole("x_ends"), nice=False).axis(tickCount=6, tickMinStep=1, format=",d")
        y = alt.Y("y:Q", title=y_title).scale(type="log", domain=hole("y_ends"), nice=False)
        y = y.axis(values=hole("powers"), labelExpr=hole("power_labels"))
        # A line of one color is told from the others by its points' shape.
        signs = json.dumps({name: f"{_SIGNS[look % 4]} {name}" for name, look in zip(names, looks, strict=True)})
        legend = strokes([f"● {name}" for name in names], labelLimit=300, labelExpr=f"{signs}[datum.label]")
        dashes = [[6, 4] if one else [1, 0] for one in dashed]
        color, dash = told_apart("name", names, mode, legend, colors=looks, dashes=dashes)
        base = alt.Chart().encode(x, y, color)
        on_axis, on_edge = (base.transform_filter(f"datum.kind {sign} 'value'") for sign in ("===", "!=="))
        words = [
            of(kind)
            .mark_text(align=side, dy=-14 if kind == ZERO else 14, fontSize=12)
            .encode(x, y, alt.TextValue(kind), alt.ColorValue(categorical(mode)[7]))
            for kind, side in edges
        ]
        crosses = on_edge.mark_point(filled=True, opacity=1, shape="cross", angle=45, size=110)
        return alt.layer(
            on_axis.mark_line(strokeWidth=2.2).encode(dash),
            on_axis.mark_point(filled=True, opacity=1, size=34).encode(alt.Shape("shape:N", scale=None)),
            *([crosses] if edges else []),  # an empty layer has no name for readers
            *words,
            by_pointer(base, tooltip(("name:N", "curve"), ("x:Q", x_title, ",d"), ("told:N", y_title))),
        )

    ticks = _ticks(low, high)
    holes = {
        "x_ends": [first, last],
        "doublings": [2**i for i in range(12) if first <= 2**i <= last],
        "y_ends": [low, high],
        "powers": [float(f"1e{power}") for power in ticks],
        "power_labels": power_labels(ticks),
    }
    # The names take their room from the picture.
    tall = height + LEGEND_ROW * max(0, math.ceil(len(names) / columns) - 2)
    return figure(draw, data, holes, height=tall, **headed(title))


def _rows(curve: DecadeCurve) -> list[dict[str, Any]]:
    if len(curve.x) != len(curve.y):
        raise ValueError(f"{curve.name!r} has {len(curve.x)} places and {len(curve.y)} values")
    rows = []
    for x, y in zip(curve.x, curve.y, strict=True):
        value = float(y)
        if value < 0:
            raise ValueError(f"{curve.name!r} holds {value:g}, and a logarithmic axis has no place below 0")
        kind = BEYOND if not math.isfinite(value) else ZERO if value == 0 else "value"
        row = {"x": float(x), "y": value, "told": size_text(value), "kind": kind}
        rows.append(row | {"name": curve.name, "shape": _SHAPES[curve.look % len(_SHAPES)]})
    return rows


def _limits(drawn: Sequence[float], lowest: float | None) -> tuple[float, float]:
    """Powers of ten around the values, with some room to the edges."""
    low = math.floor(math.log10(min([*drawn, *([] if lowest is None else [lowest])], default=1.0)))
    high = math.ceil(math.log10(max(drawn, default=1.0)))
    room = max(1, (high - low) // 12)
    return float(f"1e{low - room}"), float(f"1e{high + room}")


def _ticks(low: float, high: float) -> list[int]:
    """At most about seven powers of ten, 1 among them where it lies between."""
    first, last = round(math.log10(low)), round(math.log10(high))
    stride = max(1, math.ceil((last - first) / 7))
    return [power for power in range(first, last + 1) if power % stride == 0]


def power_labels(powers: Iterable[int]) -> str:
    """The label of a logarithmic axis at these powers of ten: 10⁻⁶; nothing between them."""
    words = ", ".join(f"'{power}': '{_ten_to(power)}'" for power in powers)
    power = "log(datum.value) / LN10"
    return f"abs({power} - round({power})) < 0.01 ? {{{words}}}[round({power})] : ''"


def _ten_to(power: int) -> str:
    return "1" if power == 0 else "10" if power == 1 else f"10{str(power).translate(_SUPERSCRIPT)}"
