"""The block of each family, part by part, read from the modules themselves: what it consists of, and what it reads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from core.models import registry
from core.models.bert import BERTConfig
from core.models.gpt import GPTConfig
from core.models.transformer import TransformerConfig
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block, BlockStyle
from core.nn.feed_forward import FeedForward
from core.nn.masks import causal, full

N_MASK = 5  # tokens in the small picture of a mask
NAMES = MappingProxyType(
    {"decoder": "Decoder", "encoder": "Encoder", "encoder_decoder": "Decoder of an encoder-decoder"}
)


@dataclass(frozen=True)
class BlockPart:
    """One part of a block, a module of its own.

    Args:
        name: of the module: "attn", "norm_1", ...
        kind: "norm", "self-attention", "cross-attention" or "feed-forward".
        count: its parameters.
        shapes: name -> shape of each of its tensors.
        mask: (T, S) who may read whom, on a text of 5 tokens; None if nobody reads anybody.
        is_shared: whether all three families have this part, and alike.
    """

    name: str
    kind: str
    count: int
    shapes: dict[str, tuple[int, ...]]
    mask: NDArray[np.bool_] | None
    is_shared: bool = True


@dataclass(frozen=True)
class BlockPlan:
    """A block: its parts in the order of the forward pass.

    Args:
        family: one of `NAMES`; of an encoder-decoder, the block of its decoder.
        parts: norms stand before what they normalize (pre-norm) or after it (post-norm).
        total: parameters of the block.
    """

    family: str
    parts: tuple[BlockPart, ...]
    total: int


def block_plans(d_model: int, n_head: int, norm_first: bool) -> tuple[BlockPlan, ...]:
    """The blocks of a GPT, a BERT and the decoder of a transformer of 2017, all of one size and style.

    Nothing but the wiring differs: the same norms, activation, biases and widths. They take no memory.

    Raises:
        ValueError: if n_head does not divide d_model.
    """
    sizes: dict[str, Any] = {
        "vocab_size": 1, "n_layer": 1, "n_head": n_head, "d_model": d_model, "block": BlockStyle(norm_first=norm_first),
    }  # fmt: skip
    blocks = {
        "decoder": (registry.empty(GPTConfig(**sizes)).blocks[0], causal(N_MASK)),
        "encoder": (registry.empty(BERTConfig(**sizes)).blocks[0], full(N_MASK)),
        "encoder_decoder": (registry.empty(TransformerConfig(**sizes)).decoder.blocks[0], causal(N_MASK)),
    }
    plans = [_plan(family, block, mask.numpy()) for family, (block, mask) in blocks.items()]
    return tuple(_told_apart(plan, plans) for plan in plans)


def table(plans: Sequence[BlockPlan]) -> dict[str, list[Any]]:
    """One line for each part of each block."""
    rows = [(plan.family, part) for plan in plans for part in plan.parts]
    return {
        "block": [NAMES[family] for family, _ in rows],
        "part": [part.name for _, part in rows],
        "parameters": [part.count for _, part in rows],
        "same in all three": [part.is_shared for _, part in rows],
    }


def _plan(family: str, block: Block, mask: NDArray[np.bool_]) -> BlockPlan:
    """Walk the modules of a block; each norm belongs to the part that follows it in the list of modules."""
    children = list(block.named_children())
    ordered: list[tuple[str, nn.Module]] = []
    for (norm_name, norm), (name, module) in zip(children[::2], children[1::2], strict=True):
        pair = [(norm_name, norm), (name, module)]
        ordered += pair if block.style.norm_first else pair[::-1]
    return BlockPlan(family, tuple(_part(*one, mask) for one in ordered), sum(p.numel() for p in block.parameters()))


def _part(name: str, module: nn.Module, mask: NDArray[np.bool_]) -> BlockPart:
    shapes = {key: tuple(p.shape) for key, p in module.named_parameters()}
    count = sum(p.numel() for p in module.parameters())
    if isinstance(module, MultiHeadAttention):
        if name == "cross_attn":
            return BlockPart(name, "cross-attention", count, shapes, full(N_MASK).numpy())
        return BlockPart(name, "self-attention", count, shapes, mask)
    return BlockPart(name, "feed-forward" if isinstance(module, FeedForward) else "norm", count, shapes, None)


def _told_apart(plan: BlockPlan, plans: list[BlockPlan]) -> BlockPlan:
    """Mark what not all of them have, or have otherwise."""
    everywhere = [{_sign(part) for part in other.parts} for other in plans]
    parts = tuple(replace(part, is_shared=all(_sign(part) in signs for signs in everywhere)) for part in plan.parts)
    return replace(plan, parts=parts)


def _sign(part: BlockPart) -> tuple[Any, ...]:
    return (part.name, part.kind, part.count, None if part.mask is None else part.mask.tobytes())
