"""The same block drawn three times, read from the modules: what a decoder, an encoder and an encoder-decoder have in
common, and what differs.
"""

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, segmented_control
from core.models import registry
from core.models.bert import BERTConfig
from core.models.gpt import GPTConfig
from core.models.original_transformer import TransformerConfig
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block, BlockStyle
from core.nn.feed_forward import FeedForward
from core.nn.masks import causal, full

LABELS = module_labels(__name__)

N_MASK = 5  # tokens in the small picture of a mask
BLOCK_NAMES = {
    "decoder": LABELS["block.decoder"],
    "encoder": LABELS["block.encoder"],
    "encoder_decoder": LABELS["block.encoder_decoder"],
}
BLOCK_NOTES = {
    "decoder": LABELS["note.decoder"],
    "encoder": LABELS["note.encoder"],
    "encoder_decoder": LABELS["note.encoder_decoder"],
}
PART_TITLES = {
    "self-attention": LABELS["self_attention"],
    "cross-attention": LABELS["cross_attention"],
    "feed-forward": LABELS["feed_forward"],
}
WIDTHS = {48: 4, 128: 4, 768: 12}  # width -> heads: the models of this page, a small one, GPT-2 and BERT-base


class Inputs(Base, prefix="blocks_"):
    norms: str = segmented_control(("pre", "post"), "pre")
    width: int = segmented_control(tuple(WIDTHS), 48)


class BlockPart(Result):
    """One part of a block, with a module of its own."""

    name: str  # of the module: "attn", "norm_1", ...
    kind: str  # "norm", "self-attention", "cross-attention" or "feed-forward"
    count: int  # its parameters
    shapes: str  # of its tensors, without repetition: "48 × 48, 48"
    mask: NDArray[np.bool_] | None  # (T, S) which tokens may read which, for a text of 5; None if it isn't attention
    is_shared: bool = True  # True if all three families have the same part

    @property
    def reads_all(self) -> bool:
        return self.mask is not None and bool(self.mask.all())


class BlockPlan(NamedTuple):
    """A block: its parts in the order of the forward pass."""

    family: str  # one of `BLOCK_NAMES`; for an encoder-decoder, the block of its decoder
    parts: tuple[BlockPart, ...]  # norms come before the part they belong to (pre-norm) or after it (post-norm)
    total: int  # parameters of the block


class BlockPlans(Result):
    """The blocks of the three families."""

    plans: tuple[BlockPlan, ...]
    one: int  # parameters of the decoder's block, and of the encoder's
    more: int  # additional parameters of the block in an encoder-decoder's decoder
    formula: str

    def table(self) -> Table:
        rows = [(plan.family, part) for plan in self.plans for part in plan.parts]
        return {
            LABELS["block"]: [BLOCK_NAMES[family] for family, _ in rows],
            LABELS["part"]: [part.name for _, part in rows],
            LABELS["parameters"]: [part.count for _, part in rows],
            LABELS["same_in_all"]: [part.is_shared for _, part in rows],
        }


def block_plans(d_model: int, n_head: int, norm_first: bool) -> BlockPlans:
    """Return the blocks of a GPT, a BERT and the decoder of a transformer of 2017, all of one size and style.

    They differ only in their wiring, and take no memory. Raises ValueError if n_head doesn't divide d_model.
    """
    sizes: dict[str, Any] = {
        "vocab_size": 1, "n_layer": 1, "n_head": n_head, "d_model": d_model, "block": BlockStyle(norm_first=norm_first),
    }  # fmt: skip
    plans = [
        _plan("decoder", registry.build_empty(GPTConfig(**sizes)).blocks[0], causal(N_MASK).numpy()),
        _plan("encoder", registry.build_empty(BERTConfig(**sizes)).blocks[0], full(N_MASK).numpy()),
        _plan(
            "encoder_decoder",
            registry.build_empty(TransformerConfig(**sizes)).decoder.blocks[0],
            causal(N_MASK).numpy(),
        ),
    ]
    n_alike = Counter(_signature(part) for plan in plans for part in plan.parts)
    marked = lambda part: replace(part, is_shared=n_alike[_signature(part)] == len(plans))  # noqa: E731
    one, both = plans[0].total, plans[2]
    return BlockPlans(
        plans=tuple(plan._replace(parts=tuple(map(marked, plan.parts))) for plan in plans),
        one=one,
        more=both.total - one,
        formula=rf"\text{{{BLOCK_NAMES[both.family]}}} = {one:,} + {both.total - one:,} = {both.total:,}".replace(
            ",", "{,}"
        ),
    )


def _signature(part: BlockPart) -> tuple[object, ...]:
    """Return the properties that a part must share with a part of another block to count as the same."""
    return part.name, part.kind, part.count, None if part.mask is None else part.mask.tobytes()


def _plan(family: str, block: Block, mask: NDArray[np.bool_]) -> BlockPlan:
    """List the modules of a block; each norm belongs to the part that follows it among the modules."""
    children = [one for one in block.named_children() if not isinstance(one[1], nn.Identity)]
    ordered: list[tuple[str, nn.Module]] = []
    for norm, part in zip(children[::2], children[1::2], strict=True):
        ordered += [norm, part] if block.style.norm_first else [part, norm]
    return BlockPlan(family, tuple(_part(*one, mask) for one in ordered), sum(p.numel() for p in block.parameters()))


def _part(name: str, module: nn.Module, mask: NDArray[np.bool_]) -> BlockPart:
    kind, read = "feed-forward" if isinstance(module, FeedForward) else "norm", None
    if isinstance(module, MultiHeadAttention):
        is_cross = name == "cross_attn"
        kind, read = ("cross-attention", full(N_MASK).numpy()) if is_cross else ("self-attention", mask)
    parameters = list(module.parameters())
    shapes = ", ".join(dict.fromkeys(" × ".join(map(str, p.shape)) for p in parameters))
    return BlockPart(name=name, kind=kind, count=sum(p.numel() for p in parameters), shapes=shapes, mask=read)


CODE = (Block, block_plans)


def compute(inputs: Inputs) -> BlockPlans:
    """Return the three blocks, read from the modules."""
    return block_plans(inputs.width, WIDTHS[inputs.width], inputs.norms == "pre")


def draw(result: BlockPlans, inputs: Inputs) -> None:
    """Draw the three blocks next to each other."""
    columns = [
        {
            "title": BLOCK_NAMES[plan.family],
            "note": BLOCK_NOTES[plan.family],
            "total": plan.total,
            "parts": [_part_card(part) for part in plan.parts],
        }
        for plan in result.plans
    ]
    ui.mount_widget(
        "block_plans",
        key=f"three-blocks-{inputs.width}-{inputs.norms}",
        columns=columns,
        label=LABELS("label", width=inputs.width),
        takeaway=ui.section_text("takeaway"),
    )


def _part_card(part: BlockPart) -> dict[str, object]:
    differs = LABELS["only_here"]
    if part.kind == "self-attention":
        differs = LABELS["reads_everything"] if part.reads_all else LABELS["reads_back_only"]
    return {
        "title": PART_TITLES.get(part.kind, LABELS["norm"]),
        "kind": part.kind,
        "detail": ui.section_text(part.kind, part=part),
        "count": part.count,
        "badge": "" if part.is_shared else differs,
        "mask": None if part.mask is None else part.mask.astype(int).tolist(),
        "adds": part.kind != "norm",
    }
