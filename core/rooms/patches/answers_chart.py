"""The probabilities of a few answers as bars, with strokes where they stood before something was changed."""

from collections.abc import Sequence

from core.charts.curves import SCHEMA, Spec, row_height, table
from core.charts.theme import Mode, accent, categorical


def answers(
    names: Sequence[str],
    now: Sequence[float],
    before: Sequence[float] | None = None,
    *,
    right: int | None = None,
    before_title: str = "before",
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: one lying bar for each answer, in the order given, with its number.

    Args:
        names: of the answers; each once.
        now: their probabilities.
        before: others, drawn as upright strokes.
        right: the place of the right answer, marked with a tick and another color.
        before_title: what the strokes are.

    Raises:
        ValueError: if the lengths differ.
    """
    if len(now) != len(names) or (before is not None and len(before) != len(names)):
        raise ValueError(f"{len(names)} names do not match {len(now)} and {len(before or now)} probabilities")
    shown = [f"{name} ✓" if i == right else name for i, name in enumerate(names)]
    rows: list[Spec] = [
        {"answer": name, "now": round(float(now[i]), 5), "text": in_percent(float(now[i])), "is_right": i == right}
        | ({} if before is None else {"before": round(float(before[i]), 5)})
        for i, name in enumerate(shown)
    ]
    scale: Spec = {"domain": [0, 1.15], "nice": False}  # room for the number beside a full bar
    axis: Spec = {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".0%"}
    x: Spec = {"field": "now", "type": "quantitative", "title": "probability", "scale": scale, "axis": axis}
    y: Spec = {"field": "answer", "type": "nominal", "sort": shown, "title": None, "axis": {"ticks": False}}
    color: Spec = {"condition": {"test": "datum.is_right", "value": accent(mode)}, "value": categorical(mode)[0]}
    tooltip: list[Spec] = [
        {"field": "answer", "title": "answer"},
        {"field": "now", "type": "quantitative", "title": "probability", "format": ".4f"},
    ]
    if before is not None:
        tooltip.append({"field": "before", "type": "quantitative", "title": before_title, "format": ".4f"})
    layers: list[Spec] = [
        {"mark": {"type": "bar", "cornerRadiusEnd": 2, "height": {"band": 0.72}}, "encoding": {"x": x, "color": color}},
        {
            "mark": {"type": "text", "align": "left", "dx": 5, "color": categorical(mode)[7]},
            "encoding": {"x": x, "text": {"field": "text"}},
        },
    ]
    if before is not None:
        stroke = {"type": "tick", "orient": "vertical", "thickness": 2.5, "color": categorical(mode)[7]}
        layers.append({"mark": stroke, "encoding": {"x": x | {"field": "before"}}})
    return {
        "$schema": SCHEMA,
        **table(rows),
        **row_height(len(names), 22),
        "encoding": {"y": y, "tooltip": tooltip},
        "layer": layers,
    }


def in_percent(p: float) -> str:
    """A probability with one decimal; what is not quite 100% does not say so."""
    return "> 99.9%" if 0.9995 <= p < 1 else f"{p:.1%}"
