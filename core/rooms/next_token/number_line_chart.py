"""How a uniform number picks a token: all tokens side by side, each as wide as it is likely."""

from collections.abc import Sequence
from typing import Any

from core.charts.theme import Mode, accent, categorical, sequential

# Pixels from the top: the bar, the names under it, the number above it.
_BAR, _NAMES, _NUMBER, _HEIGHT = (34, 66), 80, 16, 150  # the height includes the axis


def number_line(
    tokens: Sequence[str],
    low: Sequence[float],
    high: Sequence[float],
    draw: float | None,
    hit: int,
    *,
    mode: Mode = "light",
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
    colors, ink = sequential(mode), categorical(mode)[7]
    fills = [accent(mode) if i == hit else colors[3] if i % 2 else colors[2] for i in range(len(tokens))]
    rows = [
        {"token": token, "low": float(a), "high": float(b), "middle": (float(a) + float(b)) / 2, "fill": fill}
        for token, a, b, fill in zip(tokens, low, high, fills, strict=True)
    ]
    x = {"field": "low", "type": "quantitative", "scale": {"domain": [0, 1], "nice": False}, "title": "uniform number"}
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": rows},
            "mark": {"type": "rect", "stroke": colors[0], "strokeWidth": 0.5},
            "encoding": {
                "x": x,
                "x2": {"field": "high"},
                "y": {"value": _BAR[0]},
                "y2": {"value": _BAR[1]},
                "color": {"field": "fill", "type": "nominal", "scale": None},
                "tooltip": [
                    {"field": "token", "type": "nominal"},
                    {"field": "low", "type": "quantitative", "format": ".4f", "title": "from"},
                    {"field": "high", "type": "quantitative", "format": ".4f", "title": "to"},
                ],
            },
        },
        {
            "data": {"values": rows},
            "transform": [{"filter": "datum.high - datum.low > 0.06"}],
            "mark": {"type": "text", "color": ink, "font": "JetBrains Mono, monospace", "fontSize": 12, "limit": 90},
            "encoding": {
                "x": x | {"field": "middle"},
                "y": {"value": _NAMES},
                "text": {"field": "token", "type": "nominal"},
            },
        },
    ]
    if draw is not None:
        at, near_end = x | {"field": "u"}, draw > 0.9
        rule = {"type": "rule", "strokeWidth": 2, "color": ink}
        text = {"type": "text", "fontSize": 12, "fontWeight": 600, "color": ink}
        text |= {"align": "right", "dx": 4} if near_end else {"align": "left", "dx": -4}
        layers.append(
            {
                "data": {"values": [{"u": float(draw), "label": f"drawn: {draw:.4f}"}]},
                "layer": [
                    {
                        "mark": rule,
                        "encoding": {"x": at, "y": {"value": _NUMBER + 8}, "y2": {"value": _BAR[1] + 4}},
                    },
                    {"mark": text, "encoding": {"x": at, "y": {"value": _NUMBER}, "text": {"field": "label"}}},
                ],
            }
        )
    return {"height": _HEIGHT, "layer": layers}
