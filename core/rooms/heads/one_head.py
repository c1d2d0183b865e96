"""One head, large: the weight of every cell with its arithmetic, and one of its rows laid over the text."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import content_key
from core.inspect.model_and_text import ModelAndText
from core.nn.attention import MultiHeadAttention, attention_scores, masked_softmax
from core.rooms.heads.as_lines import LINES
from core.rooms.heads.open_head import quoted, shown_text
from core.ui.controls import controls, picks
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.widgets import badges, widgets
from core.ui.widgets.mount import index

if TYPE_CHECKING:
    from core.inspect.trace import AttentionRecord


NO_PROOF = (
    "Where a head looks isn't yet why the model says what it says: quite different weights can lead to the same answer "
    "(Jain and Wallace 2019; for the other side, Wiegreffe and Pinter 2019)."
)
SHOWN_BELOW = " The experiments below change the weights to see what really happens."


@exhibit(
    title="One head, cell by cell",
    look_for="one row: one token reading. Its weights say how much it takes from each token, and they sum to 1.",
    try_this=[
        (
            "Point at a cell, then at another one in the same row.",
            "Each cell has its own arithmetic: the reading token's **query** times the other's **key** gives a score, "
            "and the **softmax** turns a row of scores into shares. From the depth Numbers on it stands below.",
        ),
        (
            "Switch to “Scores”.",
            "Scores can be negative, or as large as they like; the softmax makes shares of them. Hatched cells are "
            "later tokens, which a model that predicts the **next token** must not read.",
        ),
        (
            "Click a row, then look at the colored text under the matrix.",
            "It's the same row, laid over the text: what this token reads.",
        ),
    ],
    code=(attention_scores, masked_softmax, MultiHeadAttention.forward),
)
def one_head(looked: ModelAndText, layer: int, head: int) -> Shown:
    """The matrix of one head, and one of its rows over the text."""
    record = models.attention(looked.key, looked.encoded.packed)
    tokens = looked.encoded.tokens
    content = content_key(shown_text(looked), layer, head)[:12]
    if picks.has_changed("heads.query", looked.encoded.packed):
        controls.reset("query", len(tokens) - 1)
    cell = _take_clicks(content, len(tokens))
    left, right = st.columns([2, 3], gap="medium", vertical_alignment="bottom")
    with left:
        shows = controls.segmented(
            "shows", "Show", ["weights", "scores"], "weights", labels={"weights": "Weights", "scores": "Scores"}
        )
    with right:
        query = int(controls.slider("query", "Query token", 0, len(tokens) - 1, len(tokens) - 1, step=1))
    weights, scores = record.weights[layer, head], record.scores[layer, head]
    strongest = int(weights[query].argmax())
    selected = (query, cell[1] if cell is not None and cell[0] == query else strongest)
    map_side, text_side = layout.pair("head")
    with map_side:
        widgets.matrix(
            weights if shows == "weights" else scores,
            rows=tokens,
            columns=tokens,
            key=picks.key("heads.one", content, {"row": selected[0], "column": selected[1]}),
            kind="probability" if shows == "weights" else "signed",
            mask=record.mask,
            value_title="weight" if shows == "weights" else "score",
            operands=_operands(record, layer, head) if shows == "weights" else None,
            selected=selected,
            label=f"Layer {layer}, head {head}",
            badge=badges.of_attention(looked.key, looked.encoded.packed, shows, layer, head),
        )
    with text_side:
        _who_reads(tokens, np.where(record.mask[query], weights[query], np.nan), query, content)
        st.caption(NO_PROOF + (SHOWN_BELOW if models.predicts(looked.key) == "next" else ""))
    return Shown(
        numbers=lambda: record.head_table(tokens, layer, head),
        arrays={
            "weights": weights,
            "scores": scores,
            "q": record.q[layer, head],
            "k": record.k[layer, head],
            "v": record.v[layer, head],
        },
        formula=_with_numbers(record, layer, head, query, strongest),
        script=lambda: _script(looked, layer, head),
    )


def _script(looked: ModelAndText, layer: int, head: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect import trace
        from core.inspect.readers import reader_of
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        ids = $ids

        # One pass with everything kept; of it one head, cell by cell.
        record = trace.attention(model, ids)
        print_table(record.head_table(tokenizer.tokens(ids), layer=$layer, head=$head))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        layer=layer,
        head=head,
    )


def _take_clicks(content: str, n_token: int) -> tuple[int, ...] | None:
    """A click on a cell, on the text below it, or on a token of the lines sets the row. Gives the cell clicked last."""
    is_new = picks.has_news("heads.one", content)
    cell = picks.place("heads.one", content, "cell", n_token, n_token)
    token, line = picks.news("heads.reads", content), picks.news(*LINES)
    row = cell[0] if is_new and cell is not None else None
    for query in (row, index(token, n_token), index(line.get("row"), n_token) if isinstance(line, Mapping) else None):
        if query is not None:
            controls.put("query", query)
    return cell


def _who_reads(tokens: tuple[str, ...], reads: NDArray[np.floating], query: int, content: str) -> None:
    """One row of the matrix, laid over the text; and what it does not say."""
    strongest = int(np.nanargmax(reads))
    widgets.token_row(
        tokens,
        key=picks.key("heads.reads", content, query),
        values=reads,
        kind="probability",
        value_title="weight",
        selected=query,
        title=f"Where token {query} reads from",
        takeaway=f"Token {query} {tokens[query]!r} reads most from token {strongest} {tokens[strongest]!r}, "
        f"weight {reads[strongest]:.2f}.",
    )
    st.markdown(
        f"Token {query} **{quoted(tokens[query])}** reads most from token {strongest} "
        f"**{quoted(tokens[strongest])}**: {reads[strongest]:.2f} of 1."
    )


def _operands(record: "AttentionRecord", layer: int, head: int) -> dict[str, Any]:
    """What the matrix needs to show a cell's arithmetic; the scores only where a bias was added."""
    q, k = record.q[layer, head], record.k[layer, head]
    return {
        "q": q,
        "k": k,
        "scale": record.scale,
        "scores": None if record.bias is None else record.scores[layer, head],
    }


def _with_numbers(record: "AttentionRecord", layer: int, head: int, query: int, key: int) -> str:
    """The formula of the strongest cell of the chosen row, in its own numbers."""
    dot = float(record.q[layer, head, query] @ record.k[layer, head, key])
    score, weight = float(record.scores[layer, head, query, key]), float(record.weights[layer, head, query, key])
    d_head = record.q.shape[-1]
    bias = "" if record.bias is None else f" {record.bias[head, query, key]:+.3f}"
    total = float(np.exp(record.scores[layer, head, query, record.mask[query]] - score).sum())
    added = "" if record.bias is None else r" + \text{bias}"
    product, scaled = r"q\,k^{\top}", f"{dot:.3f}"
    if record.is_scaled:
        product, scaled = (
            rf"\frac{{{product}}}{{\sqrt{{d_k}}}}",
            rf"\frac{{{dot:.3f}}}{{\sqrt{{{d_head}}}}}",
        )
    return (
        r"\begin{aligned}"
        rf"\text{{weights}} &= \mathrm{{softmax}}\!\left({product}{added}\right) \\"
        rf"q_{{{query}}}\cdot k_{{{key}}} &= {dot:.3f} \\"
        rf"\text{{score}} &= {scaled}{bias} = {score:.3f} \\"
        rf"\text{{weight}} &= \frac{{1}}{{\sum_s e^{{\,\text{{score}}_s {-score:+.3f}}}}} "
        rf"= \frac{{1}}{{{total:.3f}}} = {weight:.4f}"
        r"\end{aligned}"
    )
