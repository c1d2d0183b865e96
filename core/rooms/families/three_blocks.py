"""The same block drawn three times: what a decoder, an encoder and an encoder-decoder have in common, and what not."""

import numpy as np

from core.cache import memoize
from core.nn.block import Block
from core.rooms.families.block_plans_widget import Column, Drawn
from core.rooms.families.block_plans_widget import block_plans as draw_plans
from core.rooms.families.compute.block_parts import NAMES, BlockPart, BlockPlan, block_plans, table
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit

ABOUT = {
    "decoder": "as in GPT",
    "encoder": "as in BERT",
    "encoder_decoder": "as in T5; its encoder is the one in the middle",
}
PARTS = {"self-attention": "Self-attention", "cross-attention": "Cross-attention", "feed-forward": "Feed-forward"}
WIDTHS = {48: 4, 128: 4, 768: 12}  # width -> heads: the models of this page, a small one, GPT-2 and BERT-base
ORDERS = {"pre": "before each part (pre-norm)", "post": "after each part (post-norm)"}


@memoize(16)
def plans_of(d_model: int, norm_first: bool) -> tuple[BlockPlan, ...]:
    """The three blocks at one width."""
    return block_plans(d_model, WIDTHS[d_model], norm_first)


@exhibit(
    title="The same block, drawn three times",
    look_for="the parts with a thick rim and a star. Only they differ: in who may be read, and whether there's a "
    "second attention.",
    try_this=[
        (
            "Point at the self-attention of the decoder, then at that of the encoder.",
            "In **self-attention** a text reads itself. Here it has the same parameters and the same code; only the "
            "little square differs: the decoder's rows may read only to the left, the encoder's everything.",
        ),
        (
            "Point at the cross-attention.",
            "In **cross-attention** one text reads another: the decoder's text asks, and the encoder's last vectors "
            "answer. It's as large as a self-attention.",
        ),
        (
            "Put the norms after each part.",
            "As in 2017 and in BERT. The same parts in another order, with not one parameter more or less in all "
            "three.",
        ),
    ],
    code=(Block, block_plans),
)
def three_blocks() -> Shown:
    """The three blocks, read from the modules."""
    order = controls.segmented("blocks_norms", "Norms", list(ORDERS), "pre", labels=ORDERS)
    width = controls.segmented("blocks_width", "Width", list(WIDTHS), 48)
    plans = plans_of(width, order == "pre")
    one, _, both = plans
    more = both.total - one.total
    draw_plans(
        [_column(plan) for plan in plans],
        key=f"three-blocks-{width}-{order}",
        label=f"One block of each family, {width} numbers wide",
        takeaway=f"Decoder and encoder have the same parts, {one.total:,} parameters; they differ in who may be read. "
        f"The decoder of an encoder-decoder also has a cross-attention, {more:,} parameters more.",
    )
    return Shown(
        numbers=lambda: table(plans),
        arrays={f"mask.{plan.family}.{p.name}": p.mask for plan in plans for p in plan.parts if p.mask is not None},
        formula=rf"\text{{{NAMES['encoder_decoder']}}} = {one.total:,} + {more:,} = {both.total:,}".replace(",", "{,}"),
        script=lambda: _script(width, order),
    )


def _script(width: int, order: str) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.families.compute import block_parts

        # One block of each family, made of the same parts, counted in the modules themselves.
        print_table(block_parts.table(block_parts.block_plans($width, n_head=$n_head, norm_first=$norm_first)))
        """,
        width=width,
        n_head=WIDTHS[width],
        norm_first=order == "pre",
    )


def _column(plan: BlockPlan) -> Column:
    parts = [
        Drawn(
            title=PARTS.get(part.kind, "Norm"),
            kind=part.kind,
            detail=_detail(part),
            count=part.count,
            badge=_badge(part),
            mask=part.mask,
            adds=part.kind != "norm",
        )
        for part in plan.parts
    ]
    return Column(NAMES[plan.family], ABOUT[plan.family], parts, plan.total)


def _badge(part: BlockPart) -> str:
    if part.is_shared:
        return ""
    if part.kind == "self-attention":
        return "reads everything" if _reads_all(part) else "reads back only"
    return "only here"


def _detail(part: BlockPart) -> str:
    shapes = ", ".join(dict.fromkeys(" × ".join(map(str, shape)) for shape in part.shapes.values()))
    said = {
        "norm": "Brings each token's vector to mean 0 and variance 1, then applies a learned gain and shift.",
        "feed-forward": "Each token on its own: two linear layers with a nonlinearity between them.",
        "cross-attention": "Queries from the decoder's own text, keys and values from the encoder's last vectors. No "
        "mask: the whole source has been read before the first word is written.",
        "self-attention": "Queries, keys and values from the same text. "
        + (
            "Every token may read every other, before and after it."
            if _reads_all(part)
            else "A token may read itself and what comes before it, so it can't see the word it has to predict."
        ),
    }[part.kind]
    return f"{said} Tensors of {shapes}."


def _reads_all(part: BlockPart) -> bool:
    return part.mask is not None and bool(np.all(part.mask))
