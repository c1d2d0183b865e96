"""One score of one head, taken apart into the coordinates of its query and its key."""

from typing import Any

from core import ui
from core.exhibit import Result
from core.inspect.trace import AttentionRecord
from core.nn.attention import attention_scores
from core.rooms.heads.compute import score_formula
from core.rooms.heads.inputs import Head, mask_of, pair, selected
from core.rooms.heads.product_widget import product

CODE = (attention_scores,)


class Inputs(Head):
    pass  # the pair of tokens stays when another head is opened, so that heads can be compared on it


class PairScore(Result):
    """One head on a text, and the pair (query, key)."""

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
        """The pair's own numbers: its first product, the sum, the score."""
        record, at, (query, key) = self.record, (self.layer, self.head), self.pair
        q, k = record.q[*at, query], record.k[*at, key]
        dot, more = float(q @ k), r" + \dots" if len(q) > 1 else ""
        product = r"\sum_{i=1}^{d_k} q_{t,i}\, k_{s,i}"
        divided = rf"\frac{{1}}{{\sqrt{{d_k}}}} {product}"
        score = score_formula.in_symbols(record, product, divided, r"\text{bias}_{ts}")
        return (
            r"\begin{aligned}"
            rf"\text{{score}}_{{ts}} &= {score} \\"
            rf"q_{{{query}}}\cdot k_{{{key}}} &= ({q[0]:.2f})({k[0]:.2f}){more} = {dot:.3f} \\"
            rf"{score_formula.in_numbers(record, *at, query, key)}"
            r"\end{aligned}"
        )


def compute(inputs: Inputs) -> PairScore:
    """The queries and keys of the head."""
    return PairScore(record=inputs.given.attention, layer=inputs.layer, head=inputs.head, pair=pair(inputs))


def draw(result: PairScore, inputs: Inputs) -> None:
    """The scores of the open head, and the coordinates of the chosen pair."""
    record, at = result.record, (inputs.layer, inputs.head)
    arrays = {name: ui.along(getattr(record, name), *at) for name in ("q", "k", "scores", "weights")}
    product(
        arrays=arrays if record.bias is None else arrays | {"bias": ui.along(record.bias, inputs.head)},
        scale=record.scale,
        softcap=record.softcap,
        has_sink=record.sinks is not None,
        mask=mask_of(inputs),
        tokens=inputs.given.tokens,
        selected=selected(inputs),
        key="heads.pair",
        label=ui.each("Scores of layer {}, head {}".format, *at),
    )
