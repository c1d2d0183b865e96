"""A measure against a number that is doubled again and again: accuracy by labelled examples, error by colors."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.curves import DASHES, SCHEMA, Spec, table
from core.charts.theme import Mode, categorical


def label_counts(
    curves: Mapping[str, Sequence[float]],
    sizes: Sequence[int],
    *,
    marked: int,
    chance: float | None = None,
    x_title: str,
    y_title: str,
    limits: tuple[float, float] = (0.4, 1.02),
    form: str = ".0%",
    log: bool = False,
    mode: Mode = "light",
    height: int = 280,
) -> Spec:
    """A Vega-Lite specification: one line for each name over a logarithmic axis, told apart by color, dash and dots.

    Args:
        curves: name -> one value for each size.
        sizes: rising, above 0.
        marked: the size where an upright line is drawn.
        chance: the value that guessing reaches, drawn as a dashed rule; None: there is none.
        limits: the ends of the upright axis.
        form: how its numbers are printed.
        log: whether each doubling takes the same room on the upright axis too; then a value of 0 has no place on it
            and is left out.

    Raises:
        ValueError: if a curve has not as many values as there are sizes.
    """
    for name, values in curves.items():
        if len(values) != len(sizes):
            raise ValueError(f"{name!r} has {len(values)} values for {len(sizes)} sizes")
    rows = [
        {"size": size, "share": round(float(value), 4), "name": name}
        for name, values in curves.items()
        for size, value in zip(sizes, values, strict=True)
        if value > 0 or not log
    ]
    names, colors = list(curves), categorical(mode)
    look: dict[str, Any] = {"field": "name", "type": "nominal", "title": None}
    # Small dots on the line: in a legend the dash tells more.
    legend = {"orient": "top", "columns": 1, "labelLimit": 320, "symbolType": "stroke", "symbolStrokeWidth": 3}
    legend |= {"symbolSize": 420}
    color = {**look, "scale": {"domain": names, "range": colors[: len(names)]}, "legend": legend}
    dash = {**look, "scale": {"domain": names, "range": [list(DASHES[i]) for i in range(len(names))]}}
    scale = {"type": "log", "domain": [sizes[0] * 0.9, sizes[-1] * 1.45], "nice": False}
    x: dict[str, Any] = {"field": "size", "type": "quantitative", "title": x_title, "scale": scale}
    x["axis"] = {"values": list(sizes), "format": ",d", "grid": False}
    y: dict[str, Any] = {"field": "share", "type": "quantitative", "title": y_title}
    kind: dict[str, Any] = {"type": "log"} if log else {"zero": False}
    ticks = {"values": [m * 10**n for n in range(-2, 6) for m in (1, 2, 5)]} if log else {"tickCount": 6}
    y |= {"scale": {"domain": list(limits), "nice": False} | kind, "axis": {"format": form} | ticks}
    places = {"x": x, "y": y, "color": color}
    tooltip = [
        {"field": "name", "title": "model"},
        {"field": "size", "type": "quantitative", "title": x_title, "format": ",d"},
        {"field": "share", "type": "quantitative", "title": y_title, "format": form.replace("0", "1")},
    ]
    ink = categorical(mode)[7]
    rule = {"type": "rule", "strokeDash": [4, 4], "color": ink}
    layers: list[Spec] = [
        *([] if chance is None else [{"data": {"values": [{"share": chance}]}, "mark": rule, "encoding": {"y": y}}]),
        {
            "data": {"values": [{"size": marked}]},
            "mark": rule,
            "encoding": {"x": x},
        },
        {"mark": {"type": "line", "strokeWidth": 2.5, "clip": True}, "encoding": {**places, "strokeDash": dash}},
        {"mark": {"type": "point", "filled": True, "size": 40, "opacity": 1, "clip": True}, "encoding": places},
        {"mark": {"type": "point", "size": 160, "opacity": 0}, "encoding": {**places, "tooltip": tooltip}},
    ]
    return {"$schema": SCHEMA, **table(rows), "height": height + 40, "layer": layers}
