"""The same block drawn three times: what a decoder, an encoder and an encoder-decoder have in common, and what not."""

from typing import Any

from core import ui
from core.inputs import Inputs as Base
from core.inputs import segmented
from core.nn.block import Block
from core.rooms.families.block_plans_widget import block_plans as draw_plans
from core.rooms.families.compute.block_parts import NAMES, BlockPart, BlockPlans, block_plans

ABOUT = {
    "decoder": "as in GPT",
    "encoder": "as in BERT",
    "encoder_decoder": "as in T5; its encoder is the one in the middle",
}
TITLES = {"self-attention": "Self-attention", "cross-attention": "Cross-attention", "feed-forward": "Feed-forward"}
WIDTHS = {48: 4, 128: 4, 768: 12}  # width -> heads: the models of this page, a small one, GPT-2 and BERT-base
ORDERS = {"pre": "before each part (pre-norm)", "post": "after each part (post-norm)"}
CODE = (Block, block_plans)


class Inputs(Base, prefix="blocks_"):
    norms: str = segmented("Norms", ORDERS, "pre")
    width: int = segmented("Width", tuple(WIDTHS), 48)


def compute(inputs: Inputs) -> BlockPlans:
    """The three blocks, read from the modules."""
    return block_plans(inputs.width, WIDTHS[inputs.width], inputs.norms == "pre")


def draw(result: BlockPlans, inputs: Inputs) -> None:
    draw_plans(
        [
            {
                "title": NAMES[plan.family],
                "note": ABOUT[plan.family],
                "total": plan.total,
                "parts": [_drawn(part) for part in plan.parts],
            }
            for plan in result.plans
        ],
        key=f"three-blocks-{inputs.width}-{inputs.norms}",
        label=f"One block of each family, {inputs.width} numbers wide",
        takeaway=ui.words("takeaway"),
    )


def _drawn(part: BlockPart) -> dict[str, Any]:
    differs = "only here"
    if part.kind == "self-attention":
        differs = "reads everything" if part.reads_all else "reads back only"
    return {
        "title": TITLES.get(part.kind, "Norm"),
        "kind": part.kind,
        "detail": ui.words(part.kind, part=part),
        "count": part.count,
        "badge": "" if part.is_shared else differs,
        "mask": None if part.mask is None else part.mask.astype(int).tolist(),
        "adds": part.kind != "norm",
    }
