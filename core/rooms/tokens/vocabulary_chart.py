"""What a larger vocabulary buys and costs, on one chart: tokens per text fall, the table of embeddings grows."""

import math
from collections.abc import Sequence

from core.charts.figure import Drawn, Spec, alt, figure, hole, of, tooltip
from core.charts.theme import Mode, accent, categorical
from core.rooms.tokens.compute.tokenization import Cost

KINDS = {"bpe": "BPE", "char": "characters", "word": "words"}


def trade_off(
    costs: Sequence[Cost],
    width: int,
    *,
    marked: int,
    embedding_range: tuple[float, float],
    mode: Mode = "light",
    height: int = 290,
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
    ends = min(sizes) * 0.8, max(sizes) * 1.25
    is_right = marked > math.sqrt(min(sizes) * max(sizes))  # beyond the middle of a logarithmic axis

    def draw() -> Drawn:
        blue, orange = categorical(mode)[:2]
        x = alt.X("vocabulary:Q", title="vocabulary V (tokens)").scale(type="log", domain=hole("ends"), nice=False)
        x = x.axis(format=",d", labelOverlap="parity", values=hole("doublings"))
        tokens = alt.Y("tokens:Q", title="tokens per 1,000 characters").scale(domain=hole("tokens"), nice=False)
        tokens = tokens.axis(orient="left", titleColor=blue, labelColor=blue, format=",d", grid=True, tickCount=6)
        table = alt.Y("embedding:Q", title="numbers in the embedding table")
        table = table.scale(type="log", domain=embedding_range, nice=False)
        table = table.axis(orient="right", titleColor=orange, labelColor=orange, format="~s", grid=False, tickCount=6)
        shape = alt.Shape("name:N", title=None, legend=alt.Legend(orient="top"))
        shape = shape.scale(domain=list(KINDS.values()), range=["circle", "square", "triangle-up"])
        tips = tooltip(
            ("name:N", "cut into"),
            ("vocabulary:Q", "", ",d"),
            ("tokens:Q", "tokens per 1,000 characters", ",.1f"),
            ("embedding:Q", "embedding numbers", ",d"),
        )
        sides = []
        for y, color, dash, filled in ((tokens, blue, [1, 0], True), (table, orange, [6, 4], False)):
            base = alt.Chart().encode(x, y)
            line = base.transform_filter("datum.is_bpe").mark_line(strokeWidth=2, color=color, strokeDash=dash)
            points = base.mark_point(filled=filled, strokeWidth=2, size=70, opacity=1, color=color)
            sides.append(alt.layer(line, points.encode(shape, tooltip=tips)))
        chosen = of("marked").encode(x)
        side = {"align": "right", "dx": -5} if is_right else {"align": "left", "dx": 5}
        # Two lines above the axis, where no curve runs.
        label = chosen.mark_text(**side, dy=-20, fontSize=12, color=accent(mode), lineBreak="\n")
        rule = chosen.mark_rule(color=accent(mode), strokeWidth=1.5, strokeDash=[2, 3])
        return alt.layer(
            *sides,
            alt.layer(rule, label.encode(alt.YValue("height"), alt.Text("label:N"))),
        ).resolve_scale(y="independent")

    holes = {"ends": list(ends), "doublings": [v for v in _DOUBLINGS if ends[0] <= v <= ends[1]], "tokens": [0, top]}
    data = {"rows": rows, "marked": [{"vocabulary": marked, "label": f"chosen\n{marked:,}"}]}
    return figure(draw, data, holes, height=height)


_DOUBLINGS = tuple(2**i for i in range(4, 18))  # so that one step on the axis is one doubling
