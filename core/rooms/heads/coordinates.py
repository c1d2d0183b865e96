"""One score of one head, taken apart into the coordinates of its query and its key."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.inspect.trace import AttentionRecord
from core.nn.attention import attention_scores
from core.rooms.heads.inputs import Head, pair, selected
from core.rooms.heads.product_widget import product

CODE = (attention_scores,)


class Inputs(Head):
    """The pair of tokens, which stays when another head is opened, so that heads can be compared on it."""


@dataclass(frozen=True)
class Result:
    """One head of a text, and the pair (query, key)."""

    record: AttentionRecord
    layer: int
    head: int
    pair: tuple[int, int]

    def table(self) -> dict[str, Any]:
        """The query of one token times the key of another: one line for each coordinate."""
        return self.record.score_table(self.layer, self.head, *self.pair)

    def arrays(self) -> dict[str, Any]:
        return {name: getattr(self.record, name)[self.layer, self.head] for name in ("q", "k", "scores")}

    @property
    def formula(self) -> str:
        """The pair's own numbers: its first product, the sum, the score. T5 divides by nothing; not all add a bias."""
        record, at, (query, key) = self.record, (self.layer, self.head), self.pair
        q, k = record.q[*at, query], record.k[*at, key]
        dot, score, more = float(q @ k), float(record.scores[*at, query, key]), r" + \dots" if len(q) > 1 else ""
        added, bias, scale, scaled = "", "", "", f"{dot:.3f}"
        if record.bias is not None:
            added, bias = r" + \text{bias}_{ts}", f" {record.bias[self.head, query, key]:+.3f}"
        if record.is_scaled:
            scale, scaled = r"\frac{1}{\sqrt{d_k}} ", rf"\frac{{{dot:.3f}}}{{\sqrt{{{len(q)}}}}}"
        return (
            r"\begin{aligned}"
            rf"\text{{score}}_{{ts}} &= {scale}\sum_{{i=1}}^{{d_k}} q_{{t,i}}\, k_{{s,i}}{added} \\"
            rf"q_{{{query}}}\cdot k_{{{key}}} &= ({q[0]:.2f})({k[0]:.2f}){more} = {dot:.3f} \\"
            rf"\text{{score}} &= {scaled}{bias} = {score:.3f}"
            r"\end{aligned}"
        )


def compute(inputs: Inputs) -> Result:
    """The queries and keys of the head."""
    return Result(inputs.given.attention, inputs.layer, inputs.head, pair(inputs))


def draw(result: Result, inputs: Inputs) -> None:
    """The scores of the open head, and the coordinates of the chosen pair."""
    record, config = result.record, inputs.given.config
    arrays = {name: ui.along(getattr(record, name), *ui.HEAD) for name in ("q", "k", "scores", "weights")}
    product(
        arrays=arrays if record.bias is None else arrays | {"bias": ui.along(record.bias, "head")},
        scale=record.scale,
        mask=record.mask,
        tokens=inputs.given.tokens,
        selected=selected(record),
        key="heads.pair",
        label=ui.per_head(config, "Scores of layer {}, head {}".format),
    )
