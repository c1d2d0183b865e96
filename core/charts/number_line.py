"""How a uniform number picks a token: all tokens side by side, each as wide as it is likely."""

from collections.abc import Sequence
from typing import Any

from core.charts.theme import Mode, accent, sequential


def number_line(
    tokens: Sequence[str], low: Sequence[float], high: Sequence[float], draw: float | None, hit: int, *, mode: Mode = "light"
) -> dict[str, Any]:
    """A Vega-Lite specification: the interval of each token between 0 and 1, and where the number fell.

    Args:
        tokens: labels, in the order in which they lie.
        low, high: ends of the tokens' intervals.
        draw: the uniform number; None where nothing was drawn.
        hit: place of the token that was taken.

    Raises:
        ValueError: if the lengths differ.
    """
    if not len(tokens) == len(low) == len(high):
        raise ValueError(f"{len(tokens)} tokens do not match {len(low)} and {len(high)} ends")
    colors = sequential(mode)
    rows = [
        {"token": token, "low": float(a), "high": float(b), "middle": (a + b) / 2, "hit": place == hit, "even": place % 2 == 0}
        for place, (token, a, b) in enumerate(zip(tokens, low, high, strict=True))
    ]
    # The numbers of the axis are those of the draw: it lies at u times the whole.
    x = {"field": "low", "type": "quantitative", "scale": {"domain": [0, 1], "nice": False}, "title": "uniform number"}
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "bar", "height": 34, "stroke": colors[0], "strokeWidth": 1},
            "encoding": {
                "x": x,
                "x2": {"field": "high"},
                "color": {
                    "condition": [{"test": "datum.hit", "value": accent(mode)}, {"test": "datum.even", "value": colors[3]}],
                    "value": colors[2],
                },
                "tooltip": [
                    {"field": "token", "type": "nominal"},
                    {"field": "low", "type": "quantitative", "format": ".4f", "title": "from"},
                    {"field": "high", "type": "quantitative", "format": ".4f", "title": "to"},
                ],
            },
        },
        {
            "transform": [{"filter": "datum.high - datum.low > 0.05"}],
            "mark": {"type": "text", "dy": 27, "font": "JetBrains Mono, monospace", "fontSize": 11, "limit": 90},
            "encoding": {"x": x | {"field": "middle"}, "text": {"field": "token", "type": "nominal"}},
        },
    ]
    if draw is not None:
        layers.append(
            {
                "data": {"values": [{"u": float(draw), "label": f"drawn: {draw:.4f}"}]},
                "layer": [
                    {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {"x": x | {"field": "u"}}},
                    {
                        "mark": {"type": "text", "dy": -28, "fontSize": 12, "fontWeight": 600},
                        "encoding": {"x": x | {"field": "u"}, "text": {"field": "label"}},
                    },
                ],
            }
        )
    return {"height": 96, "data": {"values": rows}, "layer": layers}
