"""One head, large: the weight of every cell with its arithmetic, and one of its rows laid over the text."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Look, segmented
from core.inspect.trace import AttentionRecord
from core.nn.attention import MultiHeadAttention, attention_scores, masked_softmax
from core.rooms.heads.compute import score_formula
from core.rooms.heads.inputs import Head, mask_of, pair, selected

CODE = (attention_scores, masked_softmax, MultiHeadAttention.forward)


KINDS = ("weights", "scores")


class Inputs(Head):
    """What is shown of the head."""

    shows: str = segmented("Show", {"weights": "Weights", "scores": "Scores"}, "weights", look=Look())


@dataclass(frozen=True)
class Result:
    """One head of a text, and a row of it."""

    record: AttentionRecord
    tokens: tuple[str, ...]
    layer: int
    head: int
    query: int
    key: int

    @property
    def weights(self) -> NDArray[np.floating]:
        """(T, T)"""
        return self.record.weights[self.layer, self.head]

    def table(self) -> dict[str, Any]:
        """One line for each cell that is not masked."""
        return self.record.head_table(self.tokens, self.layer, self.head)

    def arrays(self) -> dict[str, NDArray[Any]]:
        names = ("weights", "scores", "q", "k", "v")
        return {name: getattr(self.record, name)[self.layer, self.head] for name in names}

    @property
    def formula(self) -> str:
        """For the cell that is looked at, in its own numbers."""
        record, at, query, key = self.record, (self.layer, self.head), self.query, self.key
        dot, may_read = float(record.q[*at, query] @ record.k[*at, key]), record.mask_of(self.layer)[query]
        score, weight = (float(values[*at, query, key]) for values in (record.scores, record.weights))
        total, product = float(np.exp(record.scores[*at, query, may_read] - score).sum()), r"q\,k^{\top}"
        beside = ""
        if record.sinks is not None:  # one more score in each row
            sink = float(record.sinks[at] - score)
            total, beside = total + float(np.exp(sink)), rf" + e^{{\,\text{{sink}} {-score:+.3f}}}"
        scores = score_formula.in_symbols(record, product, rf"\frac{{{product}}}{{\sqrt{{d_k}}}}")
        all_of = rf"\sum_s e^{{\,\text{{score}}_s {-score:+.3f}}}{beside}"
        share = rf"\frac{{1}}{{{all_of}}} = \frac{{1}}{{{total:.3f}}} = {weight:.4f}"
        return (
            r"\begin{aligned}"
            rf"\text{{weights}} &= \mathrm{{softmax}}\!\left({scores}\right) \\"
            rf"q_{{{query}}}\cdot k_{{{key}}} &= {dot:.3f} \\"
            rf"{score_formula.in_numbers(record, *at, query, key)} \\"
            rf"\text{{weight}} &= {share if may_read[key] else 0}"
            r"\end{aligned}"
        )


def compute(inputs: Inputs) -> Result:
    """One pass with everything kept; of it one head, cell by cell."""
    given = inputs.given
    return Result(given.attention, given.tokens, inputs.layer, inputs.head, *pair(inputs))


def draw(result: Result, inputs: Inputs) -> None:
    """The matrix of the head, and one of its rows over the text."""
    given, tokens, record, (query, key) = inputs.given, result.tokens, result.record, selected(result.record)
    left, right = ui.st.columns([5, 3], gap="medium")
    with left:
        ui.matrix(
            ui.along(np.stack([record.weights, record.scores]), "shows", *ui.HEAD),
            rows=tokens,
            columns=tokens,
            key="heads.one",
            kind=ui.along(["probability", "signed"], "shows"),
            mask=mask_of(record),
            value_title=ui.along(["weight", "score"], "shows"),
            operands=_operands(record),
            selected=(query, key),
            label=ui.per_head(given.config, "Layer {}, head {}".format),
            badge=_badges(inputs),
            chooses={"row": query.name, "column": key.name},
        )
    is_closed = np.broadcast_to(~record.masks[:, None], record.weights.shape)
    strongest = record.weights.argmax(-1)
    with right:
        ui.token_row(
            tokens,
            key="heads.reads",
            values=ui.along(np.where(is_closed, np.nan, record.weights), *ui.HEAD, "query"),
            kind="probability",
            value_title="weight",
            selected=query,
            title=ui.along([f"Where token {at} reads from" for at in range(len(tokens))], "query"),
        )
        ui.say(
            "reads",
            query=ui.along([*range(len(tokens))], "query"),
            reader=ui.along(tokens, "query"),
            strongest=ui.along(strongest, *ui.HEAD, "query"),
            source=ui.along(np.array(tokens, dtype=object)[strongest], *ui.HEAD, "query"),
            weight=ui.along(record.weights.max(-1), *ui.HEAD, "query"),
        )
        if record.sinks is not None:
            ui.say("sink", left=ui.along(1 - record.weights.sum(-1), *ui.HEAD, "query"))
        ui.say("proof")


def _operands(record: AttentionRecord) -> dict[str, Any]:
    """What the matrix needs to show a weight's arithmetic; the scores only where they are not the scaled products."""
    is_plain = record.bias is None and record.softcap is None
    given = {"q": record.q, "k": record.k} | ({} if is_plain else {"scores": record.scores})
    return {name: ui.along(one, *ui.HEAD) for name, one in given.items()} | {
        "scale": ui.along([record.scale, None], "shows"),
        "softcap": record.softcap,
        "sink": None if record.sinks is None else ui.along(record.sinks, *ui.HEAD),
    }


def _badges(inputs: Inputs) -> Any:
    """Where the numbers of each head are from."""
    given = inputs.given
    badge = partial(ui.badges.of_attention, given.key, given.encoded.ids_key)
    heads = ui.per_head(given.config, lambda layer, head: (layer, head))
    return ui.over(lambda kind, at: badge(kind, *at), ui.along(KINDS, "shows"), heads)
