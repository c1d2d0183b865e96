"""All texts that a model can write, from the best to the worst, and where searches and samples land among them."""

from typing import Any

import numpy as np

from core.charts.theme import Mode, accent, categorical
from core.rooms.beam.compute.search_ranks import SearchRanks

MOST_POINTS = 300


def ranked(found: SearchRanks, *, y_title: str, mode: Mode = "light") -> dict[str, Any]:
    """A Vega-Lite specification: score by rank, the rank on a logarithmic scale from 1.

    Args:
        y_title: what the score is, with its unit.
    """
    n, scores = len(found.scores), found.scores[found.order]
    ranks = np.unique(np.geomspace(1, n, MOST_POINTS).round().astype(int))
    line = [{"rank": int(r), "score": float(scores[r - 1])} for r in ranks if np.isfinite(scores[r - 1])]
    drawn, counts = np.unique(found.ranks[found.samples] + 1, return_counts=True)
    dots = [
        {"rank": int(r), "score": float(scores[r - 1]), "times": int(n)} for r, n in zip(drawn, counts, strict=True)
    ]
    stars = [one._asdict() | {"text": f"“{one.text}”"} for one in found.landed]
    colors = categorical(mode)
    x = {
        "field": "rank",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [0.8, n], "nice": False},
        "axis": {"values": [10**k for k in range(6) if 10**k <= n], "format": ",d"},
        "title": "rank among all texts (1 is the best)",
    }
    # Most texts lie far below the few that anybody would write: the scale is logarithmic away from 0.
    y = {
        "field": "score",
        "type": "quantitative",
        "title": y_title,
        "scale": {"type": "symlog", "constant": 1, "nice": False},
        "axis": {"values": [0, -0.5, -1, -2, -3, -5, -10, -20, -50, -100], "format": "~g"},
    }
    at = {"x": x, "y": y}
    return {
        "height": 320,
        "padding": {"left": 5, "right": 16, "top": 5, "bottom": 5},  # half of "10,000" stands right of its tick
        "layer": [
            {
                "data": {"values": line},
                "mark": {"type": "line", "color": colors[7], "strokeWidth": 1.5},
                "encoding": at,
            },
            {
                "data": {"values": dots},
                "mark": {"type": "circle", "color": colors[0], "opacity": 0.45},
                "encoding": at
                | {
                    "size": {
                        "field": "times",
                        "type": "quantitative",
                        "scale": {"domain": [1, 30], "range": [30, 420]},
                        "legend": None,
                    },
                    "tooltip": [
                        {"field": "rank", "type": "quantitative", "format": ",d"},
                        {"field": "times", "type": "quantitative", "title": "samples here"},
                    ],
                },
            },
            {
                "data": {"values": stars},
                "mark": {"type": "point", "shape": "diamond", "filled": True, "size": 110, "color": accent(mode)},
                "encoding": at
                | {
                    "tooltip": [
                        {"field": "searches", "type": "nominal", "title": "who"},
                        {"field": "text", "type": "nominal"},
                        {"field": "rank", "type": "quantitative", "format": ",d"},
                        {"field": "probability", "type": "quantitative", "format": ".4f"},
                    ]
                },
            },
            {
                "data": {"values": stars},
                "mark": {
                    "type": "text",
                    "align": "left",
                    "baseline": "bottom",
                    "dx": 6,
                    "dy": -6,
                    "angle": -28,
                    "fontSize": 12,
                    "fontWeight": 600,
                    "color": accent(mode),
                },
                "encoding": at | {"text": {"field": "searches", "type": "nominal"}},
            },
        ],
    }
