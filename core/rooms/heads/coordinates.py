"""One score of one head, taken apart into the coordinates of its query and its key."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.inspect.model_and_text import ModelAndText
from core.nn.attention import attention_scores
from core.rooms.heads.product_widget import product
from core.ui.controls import picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.widgets.mount import index

if TYPE_CHECKING:
    from core.inspect.trace import AttentionRecord

# One picture for all heads and texts: the pair stays when another head is opened, so that heads can be compared on it.
PAIR = ("heads.pair", "")


@exhibit(
    title="A score, coordinate by coordinate",
    look_for="the bars that carry the sum. A score is a sum of products, one for each coordinate of the head: equal "
    "signs push it up, opposite signs pull it down.",
    try_this=[
        (
            "Point at cells of one row, one after the other.",
            "The gray bars of the query (q) stay; those of the key (k) change with the column, and so do the products.",
        ),
        (
            "Press “largest first”.",
            "Same products, same sum: their order doesn't matter. Usually four or five of the 24 coordinates account "
            "for half of all that is added and taken away.",
        ),
        (
            "Choose the model “Little stories, the block that learns fastest”, open head 0 of a layer, point at the "
            "cell beside the diagonal, then move left along the row.",
            "Its scores end with a bias that falls by 1.5 with each step: **ALiBi**, a fixed penalty for "
            "distance. In head 0 of either layer, distance alone accounts for 98% of how the scores differ.",
        ),
    ],
    code=(attention_scores,),
)
def coordinates(looked: ModelAndText, layer: int, head: int) -> Shown:
    """The scores of the open head, and the coordinates of the chosen pair."""
    record = models.attention(looked.key, looked.encoded.packed)
    pick = picks.news(*PAIR)
    if isinstance(pick, Mapping):
        clicked = [index(pick.get(one), len(record.ids)) for one in ("row", "column")]
        if None not in clicked:
            picks.remember("pair", f"{clicked[0]}.{clicked[1]}")
    pair = _pair(record, layer, head)
    product(
        record.q[layer, head],
        record.k[layer, head],
        scores=record.scores[layer, head],
        weights=record.weights[layer, head],
        scale=record.scale,
        bias=None if record.bias is None else record.bias[head],
        mask=record.mask,
        rows=looked.encoded.tokens,
        columns=looked.encoded.tokens,
        selected=pair,
        key=picks.key(*PAIR),
        label=f"Scores of layer {layer}, head {head}",
    )
    return Shown(
        numbers=lambda: record.score_table(layer, head, *pair),
        arrays={"q": record.q[layer, head], "k": record.k[layer, head], "scores": record.scores[layer, head]},
        formula=_with_numbers(record, layer, head, *pair),
        script=lambda: _script(looked, layer, head, *pair),
    )


def _script(looked: ModelAndText, layer: int, head: int, query: int, key: int) -> str:
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

        # The query of one token times the key of another, coordinate by coordinate.
        record = trace.attention(model, ids)
        print_table(record.score_table(layer=$layer, head=$head, query=$query, key=$key))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        layer=layer,
        head=head,
        query=query,
        key=key,
    )


def _pair(record: "AttentionRecord", layer: int, head: int) -> tuple[int, int]:
    """The pair that the address holds, or the strongest of the last row."""
    n_token = len(record.ids)
    parts = (picks.remembered("pair") or "").split(".")
    kept = [index(int(part), n_token) if part.isdecimal() and len(part) < 5 else None for part in parts]
    if len(kept) == 2 and kept[0] is not None and kept[1] is not None:
        return kept[0], kept[1]
    return n_token - 1, int(record.weights[layer, head, -1].argmax())


def _general(record: "AttentionRecord") -> str:
    """The formula of this model's scores: T5 divides by nothing, and not every model adds a bias."""
    scale = r"\frac{1}{\sqrt{d_k}} " if record.is_scaled else ""
    bias = "" if record.bias is None else r" + \text{bias}_{ts}"
    return scale + r"\sum_{i=1}^{d_k} q_{t,i}\, k_{s,i}" + bias


def _with_numbers(record: "AttentionRecord", layer: int, head: int, query: int, key: int) -> str:
    """The formula with the chosen pair's own numbers: its first product, the sum, the score."""
    q, k = record.q[layer, head, query], record.k[layer, head, key]
    more = r" + \dots" if len(q) > 1 else ""
    bias = "" if record.bias is None else f" {record.bias[head, query, key]:+.3f}"
    dot, score = float(q @ k), float(record.scores[layer, head, query, key])
    scaled = rf"\frac{{{dot:.3f}}}{{\sqrt{{{len(q)}}}}}" if record.is_scaled else f"{dot:.3f}"
    return (
        r"\begin{aligned}"
        rf"\text{{score}}_{{ts}} &= {_general(record)} \\"
        rf"q_{{{query}}}\cdot k_{{{key}}} &= ({q[0]:.2f})({k[0]:.2f}){more} = {dot:.3f} \\"
        rf"\text{{score}} &= {scaled}{bias} = {score:.3f}"
        r"\end{aligned}"
    )
