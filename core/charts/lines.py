"""Functions of one number as lines: bias by distance, similarity by distance, bucket by offset."""

from collections.abc import Mapping, Sequence
from math import ceil

from core.charts.curves import Curve, rows_of
from core.charts.figure import (
    DASHES,
    LEGEND_ROW,
    Drawn,
    Spec,
    alt,
    by_pointer,
    figure,
    hole,
    of,
    strokes,
    told_apart,
    tooltip,
    whole_ticks,
)
from core.charts.theme import Mode, categorical

TWO_BESIDE = 16  # two names of so many characters fit beside each other in half a projector's width


def lines(
    curves: Sequence[Curve],
    *,
    x_title: str,
    y_title: str,
    mode: Mode = "light",
    height: int = 300,
    steps: bool = False,
    y_range: tuple[float, float] | None = None,
    marked: float | None = None,
    decades: Sequence[float] | None = None,
    legend_title: str | None = None,
    bands: Mapping[str, tuple[Sequence[float], Sequence[float]]] | None = None,
) -> Spec:
    """A Vega-Lite specification: one line for each curve, told apart by color and dash.

    Args:
        curves: with labels that differ; at most some hundreds of points each.
        steps: whether the value stays until the next point, as for buckets.
        height: of the picture with one row of names, in css pixels; those that a phone needs are added.
        marked: an x where an upright line is drawn.
        decades: the ticks of a logarithmic axis of x, which ends at the first and the last; None: it is linear.
        bands: label -> lower and upper end of a pale band about its line, as many of each as the line has points.

    Raises ValueError if two curves have one label, a curve's x and y differ in length, or a band's ends from these.
    """
    rows = [row | {"x": float(row["x"]), "y": round(float(row["y"]), 6)} for row in rows_of(curves)]
    labels = tuple(curve.label for curve in curves)
    ends = None if bands is None else _ends(curves, bands)
    columns = 2 if max(map(len, labels)) <= TWO_BESIDE else 1

    def draw() -> Drawn:
        x = alt.X("x:Q", title=x_title).scale(hole("x_scale")).axis(hole("x_axis"))
        base = alt.Chart().encode(x, alt.Y("y:Q", title=y_title).scale(hole("y_scale")).axis(hole("y_axis")))
        line = base.mark_line(strokeWidth=2, clip=True, interpolate="step" if steps else "linear")
        tips = tooltip(("series:N", "line"), ("x:Q", x_title), ("y:Q", y_title, ".4~f"))
        band = of("bands").mark_area(opacity=0.14, clip=True)
        band = band.encode(x, alt.Y("low:Q", title=y_title).scale(hole("y_scale")), alt.Y2("high:Q"))
        if len(labels) == 1:
            band = band.encode(alt.ColorValue(categorical(mode)[0]))
            line, tips = line.encode(alt.ColorValue(categorical(mode)[0])), tips[1:]
        else:
            legend = strokes(labels, labelLimit=300, symbolOpacity=1)  # not as pale as a band
            dashes = [DASHES[(i // 8 + i) % len(DASHES)] for i in range(len(labels))]  # others where colors come again
            color, dash = told_apart("series", labels, mode, legend, legend_title, dashes=dashes)
            band, line = band.encode(color), line.encode(color, dash)
        upright = of("marked").mark_rule(strokeDash=[4, 4], color=categorical(mode)[7])
        return alt.layer(band, line, by_pointer(base, tips, 100, clip=True), upright.encode(alt.X("x:Q")))

    holes = {
        "x_scale": {"nice": False},
        "x_axis": {"tickCount": 8, **whole_ticks(row["x"] for row in rows)},
        "y_axis": {"tickCount": 5, **whole_ticks(row["y"] for row in rows)},
        "y_scale": {"zero": False} if y_range is None else {"domain": list(y_range), "nice": False},
    }
    if decades is not None:
        holes |= {"x_scale": {"type": "log", "nice": False, "domain": [decades[0], decades[-1]]}}
        holes |= {"x_axis": {"values": list(decades), "format": "~g"}}
    marks = None if marked is None else [{"x": float(marked)}]
    tall = height + LEGEND_ROW * (ceil(len(labels) / columns) - 1)  # the names take their room from the picture
    return figure(draw, {"rows": rows, "marked": marks, "bands": ends}, holes, height=tall)


def _ends(
    curves: Sequence[Curve], bands: Mapping[str, tuple[Sequence[float], Sequence[float]]]
) -> list[dict[str, float | str]]:
    return [
        {"series": one.label, "x": float(x), "low": round(float(low), 6), "high": round(float(high), 6)}
        for one in curves
        if one.label in bands
        for x, low, high in zip(one.x, *bands[one.label], strict=True)
    ]
