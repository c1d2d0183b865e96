"""What a larger vocabulary buys and costs, on one chart: tokens per text fall, the table of embeddings grows."""

import math
from collections.abc import Sequence
from typing import Any

from core.charts.curves import table
from core.charts.theme import Mode, accent, categorical
from core.rooms.tokens.compute.vocabulary_size import Cost

Spec = dict[str, Any]


KINDS = {"bpe": "BPE", "char": "characters", "word": "words"}


def trade_off(
    costs: Sequence[Cost],
    width: int,
    *,
    marked: int,
    embedding_range: tuple[float, float],
    mode: Mode = "light",
    height: int = 340,
) -> Spec:
    """A Vega-Lite specification: tokens by vocabulary size on the left axis, embedding numbers on the right one.

    Sizes of BPE are joined by lines; the others stand alone, each with its name and a shape. What is read on the
    left axis is solid and full, what is read on the right one dashed and hollow.

    Args:
        costs: of vocabularies, at least one of them of BPE.
        width: of the table.
        marked: the vocabulary size to mark with an upright line.
        embedding_range: ends of the right axis, logarithmic. Fixed, so that a change of the width is seen.
    """
    blue, orange = categorical(mode)[0], categorical(mode)[1]
    rows = [
        {
            "name": KINDS[one.kind],
            "vocabulary": one.vocab_size,
            "tokens": round(one.tokens_per_thousand, 2),
            "embedding": one.n_embedding(width),
            "is_bpe": one.kind == "bpe",
        }
        for one in costs
    ]
    sizes = [one.vocab_size for one in costs] + [marked]
    # Single bytes are 1,000, or more outside of English.
    top = max(1050.0, *(1.05 * one.tokens_per_thousand for one in costs))
    x = {
        "field": "vocabulary",
        "type": "quantitative",
        "title": "vocabulary V (tokens)",
        "scale": {"type": "log", "domain": [min(sizes) * 0.8, max(sizes) * 1.25], "nice": False},
        "axis": {
            "format": ",d",
            "labelOverlap": "parity",
            "values": [v for v in _DOUBLINGS if min(sizes) * 0.8 <= v <= max(sizes) * 1.25],
        },
    }
    tokens = _side("tokens", "tokens per 1,000 characters", blue, {"domain": [0, top], "nice": False}, "left")
    embedding = _side(
        "embedding",
        "numbers in the embedding table",
        orange,
        {"type": "log", "domain": list(embedding_range), "nice": False},
        "right",
    )
    tooltip = [
        {"field": "name", "title": "cut into"},
        {"field": "vocabulary", "type": "quantitative", "format": ",d"},
        {"field": "tokens", "type": "quantitative", "format": ",.1f", "title": "tokens per 1,000 characters"},
        {"field": "embedding", "type": "quantitative", "format": ",d", "title": "embedding numbers"},
    ]
    is_right = marked > math.sqrt(min(sizes) * max(sizes))  # beyond the middle of a logarithmic axis
    shape = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(KINDS.values()), "range": ["circle", "square", "triangle-up"]},
        "legend": {"orient": "top"},
    }
    return {
        **table(rows),
        "height": height,
        "layer": [
            {"layer": _curve(x, tokens, blue, [1, 0], True, shape, tooltip)},
            {"layer": _curve(x, embedding, orange, [6, 4], False, shape, tooltip)},
            {
                "data": {"values": [{"vocabulary": marked, "label": ["chosen", f"{marked:,}"]}]},
                "layer": [
                    {
                        "mark": {"type": "rule", "color": accent(mode), "strokeWidth": 1.5, "strokeDash": [2, 3]},
                        "encoding": {"x": x},
                    },
                    {
                        "mark": {
                            "type": "text",
                            "align": "right" if is_right else "left",
                            "dx": -5 if is_right else 5,
                            "dy": -20,  # two lines above the axis, where no curve runs
                            "fontSize": 12,
                            "color": accent(mode),
                        },
                        "encoding": {"x": x, "y": {"value": "height"}, "text": {"field": "label"}},
                    },
                ],
            },
        ],
        "resolve": {"scale": {"y": "independent"}},
    }


_DOUBLINGS = tuple(2**i for i in range(4, 18))  # so that one step on the axis is one doubling


def _side(field: str, title: str, color: str, scale: Spec, orient: str) -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": scale,
        "axis": {
            "orient": orient,
            "titleColor": color,
            "labelColor": color,
            "format": ",d" if orient == "left" else "~s",
            "grid": orient == "left",
            "tickCount": 6,
        },
    }


def _curve(
    x: Spec, y: Spec, color: str, dash: list[int], is_full: bool, shape: Spec, tooltip: list[Spec]
) -> list[Spec]:
    return [
        {
            "transform": [{"filter": "datum.is_bpe"}],
            "mark": {"type": "line", "strokeWidth": 2, "color": color, "strokeDash": dash},
            "encoding": {"x": x, "y": y},
        },
        {
            "mark": {"type": "point", "filled": is_full, "strokeWidth": 2, "size": 70, "opacity": 1, "color": color},
            "encoding": {"x": x, "y": y, "shape": shape, "tooltip": tooltip},
        },
    ]
