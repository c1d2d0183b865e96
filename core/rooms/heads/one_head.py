"""One head, large: the weight of every cell with its arithmetic, and one of its rows over the text."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, ViewChoice, segmented_control
from core.inspect.attention_record import AttentionRecord
from core.nn.attention import MultiHeadAttention, attention_scores, masked_softmax
from core.rooms.heads.inputs import HeadInputs, mask_choice, selected_cell, selected_choices

LABELS = module_labels(__name__)


def score_in_symbols(record: AttentionRecord, product: str, divided: str) -> str:
    """Return the formula of the score, given the LaTeX of the product of a query and a key.

    Args:
        product: the product; `divided`: the product divided by the square root of the head's width.
    """
    scaled = divided if record.is_scaled else product if record.scale == 1 else rf"{record.scale:.4g}\,{product}"
    if record.softcap is not None:
        scaled = rf"{record.softcap:g}\,\tanh\!\left({scaled} \,/\, {record.softcap:g}\right)"
    bias = LABELS["formula.bias"]
    return scaled if record.bias is None else rf"{scaled} + \text{{{bias}}}"


def score_in_numbers(record: AttentionRecord, layer: int, head: int, query: int, key: int) -> str:
    """Return lines of LaTeX, each aligned at its `&`; the last one gives the score."""
    q, k = record.q[layer, head, query], record.k[layer, head, key]
    dot, score = float(q @ k), float(record.scores[layer, head, query, key])
    scaled = f"{dot:.3f}"
    if record.is_scaled:
        scaled = rf"\frac{{{dot:.3f}}}{{\sqrt{{{len(q)}}}}}"
    elif record.scale != 1:
        scaled = rf"{record.scale:.4g} \cdot " + (f"({dot:.3f})" if dot < 0 else f"{dot:.3f}")
    bias = "" if record.bias is None else f" {record.bias[head, query, key]:+.3f}"
    name = LABELS["formula.score"]
    if record.softcap is None:
        return rf"\text{{{name}}} &= {scaled}{bias} = {score:.3f}"
    most = f"{record.softcap:g}"
    bounded = rf"\text{{{name}}} &= {most}\,\tanh(x / {most}){bias} = {score:.3f}"
    return rf"x &= {scaled} = {dot * record.scale:.3f} \\ {bounded}"


CODE = (attention_scores, masked_softmax, MultiHeadAttention.forward)
SHOWN_TENSORS = ("weights", "scores")


class Inputs(HeadInputs):
    shows: str = segmented_control(("weights", "scores"), "weights", view=ViewChoice())


class OneHead(Result):
    """One head on a text, and one cell of it."""

    record: AttentionRecord
    tokens: tuple[str, ...]
    layer: int
    head: int
    query: int
    key: int
    weights: NDArray[np.floating]  # (T, T)
    has_sink: bool

    def table(self) -> Table:
        """Return one row per cell that is not masked."""
        return self.record.head_table(self.tokens, self.layer, self.head)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        names = ("weights", "scores", "q", "k", "v")
        return {name: getattr(self.record, name)[self.layer, self.head] for name in names}

    @property
    def formula(self) -> str:
        """The formula of the selected cell, in its own numbers."""
        record, at, query, key = self.record, (self.layer, self.head), self.query, self.key
        dot, may_read = float(record.q[*at, query] @ record.k[*at, key]), record.mask_of(self.layer)[query]
        score, weight = (float(values[*at, query, key]) for values in (record.scores, record.weights))
        total, product = float(np.exp(record.scores[*at, query, may_read] - score).sum()), r"q\,k^{\top}"
        names, beside = LABELS.options("formula"), ""
        if record.sinks is not None:  # one more score in each row
            sink = float(record.sinks[at] - score)
            total, beside = total + float(np.exp(sink)), rf" + e^{{\,\text{{{names['sink']}}} {-score:+.3f}}}"
        scores = score_in_symbols(record, product, rf"\frac{{{product}}}{{\sqrt{{d_k}}}}")
        all_of = rf"\sum_s e^{{\,\text{{{names['score']}}}_s {-score:+.3f}}}{beside}"
        share = rf"\frac{{1}}{{{all_of}}} = \frac{{1}}{{{total:.3f}}} = {weight:.4f}"
        return (
            r"\begin{aligned}"
            rf"\text{{{names['weights']}}} &= \mathrm{{softmax}}\!\left({scores}\right) \\"
            rf"q_{{{query}}}\cdot k_{{{key}}} &= {dot:.3f} \\"
            rf"{score_in_numbers(record, *at, query, key)} \\"
            rf"\text{{{names['weight']}}} &= {share if may_read[key] else 0}"
            r"\end{aligned}"
        )


def compute(inputs: Inputs) -> OneHead:
    """Run the model once, recording everything, and return one head and one of its cells."""
    given, record, (query, key) = inputs.given, inputs.given.attention, selected_cell(inputs)
    return OneHead(
        record=record,
        tokens=given.tokens,
        layer=inputs.layer,
        head=inputs.head,
        query=query,
        key=key,
        weights=record.weights[inputs.layer, inputs.head],
        has_sink=record.sinks is not None,
    )


def draw(result: OneHead, inputs: Inputs) -> None:
    """Draw the matrix of the head, and one of its rows over the text."""
    tokens, record, at = result.tokens, result.record, (inputs.layer, inputs.head)
    query, key = selected_choices(inputs)
    left, right = ui.st.columns([5, 3], gap="medium")
    with left:
        ui.matrix(
            ui.select_by_choice(np.stack([record.weights, record.scores]), inputs.shows, *at),
            rows=tokens,
            columns=tokens,
            key="heads.one",
            kind=ui.select_by_choice(["probability", "signed"], inputs.shows),
            mask=mask_choice(inputs),
            value_title=ui.select_by_choice([LABELS["weight"], LABELS["score"]], inputs.shows),
            operands=_operands(record, inputs),
            selected=(query, key),
            label=ui.for_each_option(lambda layer, head: LABELS("title", layer=layer, head=head), *at),
            badge=_badges(inputs),
            click_sets={"row": inputs.query, "column": inputs.key},
        )
    is_closed = np.broadcast_to(~record.masks[:, None], record.weights.shape)
    with right:
        ui.token_row(
            tokens,
            key="heads.reads",
            values=ui.select_by_choice(np.where(is_closed, np.nan, record.weights), *at, inputs.query),
            kind="probability",
            value_title=LABELS["weight"],
            selected=query,
            title=ui.select_by_choice([LABELS("reads_from", position=at) for at in range(len(tokens))], inputs.query),
        )
    strongest = record.weights.argmax(-1)
    ui.add_template_values(
        query=ui.select_by_choice([*range(len(tokens))], inputs.query),
        reader=ui.select_by_choice(tokens, inputs.query),
        strongest=ui.select_by_choice(strongest, *at, inputs.query),
        source=ui.select_by_choice(np.array(tokens, dtype=object)[strongest], *at, inputs.query),
        weight=ui.select_by_choice(record.weights.max(-1), *at, inputs.query),
        left=ui.select_by_choice(1 - record.weights.sum(-1), *at, inputs.query),
    )


def _operands(record: AttentionRecord, inputs: Inputs) -> dict[str, object]:
    """Return the operands of a weight's arithmetic; the scores only if they are not just the scaled products."""
    is_plain, at = record.bias is None and record.softcap is None, (inputs.layer, inputs.head)
    given = {"q": record.q, "k": record.k} | ({} if is_plain else {"scores": record.scores})
    return {name: ui.select_by_choice(one, *at) for name, one in given.items()} | {
        "scale": ui.select_by_choice([record.scale, None], inputs.shows),
        "softcap": record.softcap,
        "sink": None if record.sinks is None else ui.select_by_choice(record.sinks, *at),
    }


def _badges(inputs: Inputs) -> object:
    """Return the badges that name the source of each head's numbers."""
    badge = partial(ui.badges.attention_provenance_badge, inputs.given.key, inputs.given.encoded.ids_key)
    return ui.map_choices(
        badge,
        ui.select_by_choice(SHOWN_TENSORS, inputs.shows),
        *(ui.for_each_option(int, one) for one in (inputs.layer, inputs.head)),
    )
