"""One head, large: the weight of every cell with its arithmetic, and one of its rows laid over the text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.cache import content_key
from core.inputs import Control, segmented, slider
from core.inspect.trace import AttentionRecord
from core.nn.attention import MultiHeadAttention, attention_scores, masked_softmax
from core.rooms.heads.as_lines import LINES
from core.rooms.heads.inputs import Head
from core.ui.widgets.mount import index

CODE = (attention_scores, masked_softmax, MultiHeadAttention.forward)


class Inputs(Head):
    """What is shown of the head, and a row of it."""

    shows: str = segmented("Show", {"weights": "Weights", "scores": "Scores"}, "weights")
    query: int = slider(
        "Query token",
        0,
        lambda i: i.given.n_token - 1,
        lambda i: i.given.n_token - 1,
        before=f"{__name__}:follow_clicks",
    )


def follow_clicks(control: Control, inputs: Any) -> None:
    """A click on a cell, on the text below it, or on a token of the lines sets the row; in a new text it's the last."""
    content, n_token = _content(inputs), inputs.given.n_token
    if ui.picks.has_changed("heads.query", inputs.given.encoded.packed):
        ui.reset("query", control.default)
    is_new, cell = ui.picks.has_news("heads.one", content), _cell(inputs)
    token, line = ui.picks.news("heads.reads", content), ui.picks.news(*LINES)
    rows = cell[0] if is_new and cell else None, token, line.get("row") if isinstance(line, Mapping) else None
    for row in rows:
        if index(row, n_token) is not None:
            ui.put("query", row)


def _content(inputs: Any) -> str:
    return content_key(inputs.given.content, inputs.layer, inputs.head)[:12]


def _cell(inputs: Any) -> tuple[int, ...] | None:
    """The cell that was clicked last; the address holds it."""
    return ui.picks.place("heads.one", _content(inputs), "cell", inputs.given.n_token, inputs.given.n_token)


@dataclass(frozen=True)
class Result:
    """One head of a text, and a row of it."""

    record: AttentionRecord
    tokens: tuple[str, ...]
    layer: int
    head: int
    query: int

    @property
    def weights(self) -> NDArray[np.floating]:
        """(T, T)"""
        return self.record.weights[self.layer, self.head]

    @property
    def strongest(self) -> int:
        """The token that the row reads most from."""
        return int(self.weights[self.query].argmax())

    def table(self) -> dict[str, Any]:
        """One line for each cell that is not masked."""
        return self.record.head_table(self.tokens, self.layer, self.head)

    def arrays(self) -> dict[str, NDArray[Any]]:
        names = ("weights", "scores", "q", "k", "v")
        return {name: getattr(self.record, name)[self.layer, self.head] for name in names}

    @property
    def formula(self) -> str:
        """For the strongest cell of the row, in its own numbers."""
        record, at, query, key = self.record, (self.layer, self.head), self.query, self.strongest
        dot = float(record.q[*at, query] @ record.k[*at, key])
        score, weight = (float(values[*at, query, key]) for values in (record.scores, record.weights))
        total = float(np.exp(record.scores[*at, query, record.mask[query]] - score).sum())
        product, scaled, added, bias = r"q\,k^{\top}", f"{dot:.3f}", "", ""
        if record.bias is not None:
            added, bias = r" + \text{bias}", f" {record.bias[self.head, query, key]:+.3f}"
        if record.is_scaled:
            product = rf"\frac{{{product}}}{{\sqrt{{d_k}}}}"
            scaled = rf"\frac{{{dot:.3f}}}{{\sqrt{{{record.q.shape[-1]}}}}}"
        return (
            r"\begin{aligned}"
            rf"\text{{weights}} &= \mathrm{{softmax}}\!\left({product}{added}\right) \\"
            rf"q_{{{query}}}\cdot k_{{{key}}} &= {dot:.3f} \\"
            rf"\text{{score}} &= {scaled}{bias} = {score:.3f} \\"
            rf"\text{{weight}} &= \frac{{1}}{{\sum_s e^{{\,\text{{score}}_s {-score:+.3f}}}}} "
            rf"= \frac{{1}}{{{total:.3f}}} = {weight:.4f}"
            r"\end{aligned}"
        )


def compute(inputs: Inputs) -> Result:
    """One pass with everything kept; of it one head, cell by cell."""
    given = inputs.given
    return Result(given.attention, given.tokens, inputs.layer, inputs.head, inputs.query)


def draw(result: Result, inputs: Inputs) -> None:
    """The matrix of the head, and one of its rows over the text."""
    given, tokens, record, query = inputs.given, result.tokens, result.record, inputs.query
    layer, head, strongest, is_weights = inputs.layer, inputs.head, result.strongest, inputs.shows == "weights"
    cell, content = _cell(inputs), _content(inputs)
    column = cell[1] if cell is not None and cell[0] == query else strongest
    left, right = ui.st.columns([5, 3], gap="medium")
    with left:
        ui.matrix(
            result.weights if is_weights else record.scores[layer, head],
            rows=tokens,
            columns=tokens,
            key=ui.picks.key("heads.one", content, {"row": query, "column": column}),
            kind="probability" if is_weights else "signed",
            mask=record.mask,
            value_title="weight" if is_weights else "score",
            operands=_operands(record, layer, head) if is_weights else None,
            selected=(query, column),
            label=f"Layer {layer}, head {head}",
            badge=ui.badges.of_attention(given.key, given.encoded.packed, inputs.shows, layer, head),
        )
    with right:
        ui.token_row(
            tokens,
            key=ui.picks.key("heads.reads", content, query),
            values=np.where(record.mask[query], result.weights[query], np.nan),
            kind="probability",
            value_title="weight",
            selected=query,
            title=f"Where token {query} reads from",
            takeaway=f"Token {query} {tokens[query]!r} reads most from token {strongest} {tokens[strongest]!r}, "
            f"weight {result.weights[query, strongest]:.2f}.",
        )
        ui.say("reads")
        ui.say("proof")


def _operands(record: AttentionRecord, layer: int, head: int) -> dict[str, Any]:
    """What the matrix needs to show a cell's arithmetic; the scores only where a bias was added."""
    scores = None if record.bias is None else record.scores[layer, head]
    return {"q": record.q[layer, head], "k": record.k[layer, head], "scale": record.scale, "scores": scores}
