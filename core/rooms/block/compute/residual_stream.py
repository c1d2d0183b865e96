"""A text's vectors in one block: the residual stream, and the inputs and outputs of attention and feed-forward."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import MAX_TRACES, memoize
from core.inspect.attention_record import as_batch, to_numpy
from core.inspect.model_inputs.model_and_text import ModelAndText
from core.nn.block import Block, BlockStyle
from core.nn.feed_forward import token_shift
from core.nn.tap import Trace

LABELS = module_labels(__name__)

Array = NDArray[np.float32]
PARTS = ("attention", "feed_forward")
NORMED, MAKES, WRITES, STREAM_AFTER = (
    LABELS.options("normed", *PARTS),
    LABELS.options("makes", *PARTS),
    LABELS.options("writes", *PARTS),
    LABELS.options("stream_after", *PARTS),
)


@dataclass(frozen=True)
class BlockStage:
    """The vectors of all tokens at one point of a block."""

    name: str  # a short description of the point
    # "stream" (the residual stream), "norm" (the output of a norm), "made" (a part's output, before a norm) or "write"
    # (the vector added to the stream)
    kind: str
    vectors: Array  # (T, D)


@dataclass(frozen=True)
class BlockRecord:
    """A text in one block of a model."""

    layer: int
    style: BlockStyle  # where the norms are, and whether there are residual connections
    # in the order of computation; a model's last block is followed by its final norm, if there is one
    stages: tuple[BlockStage, ...]
    read: Array | None  # (T, D) the input of the feed-forward; None in a block without one
    # (T, F) its units before and after the nonlinearity; None without a feed-forward, or with several experts
    pre: Array | None
    act: Array | None

    @property
    def is_sum(self) -> bool:
        """True if the stream after a part is the stream before it plus the part's output."""
        return self.style.residual and not self.style.post_norm

    def stage(self, name: str) -> Array:
        """Return the vectors (T, D) of a stage by its name."""
        return next(stage.vectors for stage in self.stages if stage.name == name)

    @property
    def sums(self) -> list[tuple[int, int, int]]:
        """Indices of the stream before, the written vector and the stream after, for attention and feed-forward."""
        streams, writes = ([i for i, one in enumerate(self.stages) if one.kind == kind] for kind in ("stream", "write"))
        return list(zip(streams[:-1], writes, streams[1:], strict=True))


@memoize(MAX_TRACES)
def cached_block_record(given: ModelAndText, layer: int) -> BlockRecord:
    """Return the record of a text in one of its model's blocks."""
    return record_block(given.model, given.ids, layer)


@torch.no_grad()
def record_block(model: nn.Module, ids: Sequence[int] | Tensor, layer: int) -> BlockRecord:
    """Run the text through the model once and record every stage of one block.

    Args:
        layer: the index of the block, from 0.

    Raises:
        ValueError: if there are no tokens, too many, or some outside the model's vocabulary.
        IndexError: if there is no such block.

    Source: pre-norm x + f(norm(x)) and post-norm norm(x + f(x)): Xiong et al. 2020 (2002.04745), figure 1; the others:
    see `core.nn.block.BlockStyle`.
    """
    block = cast(Sequence[Block], model.blocks)[layer]
    with Trace(model) as trace:
        model(as_batch(model, ids))

    def at(name: str) -> Tensor:
        return trace[f"blocks.{layer}.{name}"][0]

    style: BlockStyle = block.style
    came, middle = at("resid_in"), at("resid_mid")
    stages, fed = [BlockStage(LABELS["stream_in"], "stream", to_numpy(came))], None
    parts = [("attention", came, at("attn.out"), middle, block.norm_1, block.norm_1_out)]
    if style.feed_forward:
        fed = came if style.parallel else middle
        parts.append(("feed_forward", fed, at("mlp.out"), at("resid_out"), block.norm_2, block.norm_2_out))
    for name, read, made, after, norm, norm_out in parts:
        if style.norm_first:
            stages.append(BlockStage(NORMED[name], "norm", to_numpy(norm(read))))
        if style.norm_out:
            stages.append(BlockStage(MAKES[name], "made", to_numpy(made)))
        stages.append(BlockStage(WRITES[name], "write", to_numpy(norm_out(made))))
        # In post-norm the norm is applied to the stream itself, so `after` has already been normalized.
        stages.append(BlockStage(STREAM_AFTER[name], "stream", to_numpy(after)))
    if not style.post_norm and layer == len(model.blocks) - 1 and "final" in trace:  # type: ignore[arg-type]
        stages.append(BlockStage(LABELS["final_norm"], "norm", to_numpy(trace["final"][0])))
    if fed is not None:
        fed = block.norm_2(fed) if style.norm_first else fed
        fed = token_shift(fed) if block.shifted else fed
    has_units = f"blocks.{layer}.mlp.pre" in trace
    return BlockRecord(
        layer=layer,
        style=style,
        stages=tuple(stages),
        read=None if fed is None else to_numpy(fed),
        pre=to_numpy(at("mlp.pre")) if has_units else None,
        act=to_numpy(at("mlp.act")) if has_units else None,
    )


def cosine_similarity(a: Array, b: Array) -> float:
    """Return the cosine of the angle between two vectors; nan if one of them is 0."""
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 0 else float("nan")
