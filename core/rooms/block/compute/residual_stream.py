"""One text's way through one block: the residual stream, what attention and feed-forward read, and what they add."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.cache import MAX_TRACES, memoize
from core.inspect.reading.model_and_text import ModelAndText
from core.inspect.trace import as_batch, to_numpy
from core.nn.tap import Trace

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Stage:
    """The vectors of all tokens at one place of a block."""

    name: str  # what stands there, in a few words
    kind: str  # "stream" (the residual stream), "norm" (what a norm hands on) or "write" (what is added)
    vectors: Array  # (T, D)


@dataclass(frozen=True)
class BlockRecord:
    """A text in one block of a model."""

    layer: int
    norm_first: bool  # whether the norms stand before attention and feed-forward
    residual: bool  # whether the stream is added to what they write
    # in the order in which they are computed; in a pre-norm model's last block the final norm's comes last
    stages: tuple[Stage, ...]
    pre: Array | None  # (T, F) the feed-forward's inner numbers before the nonlinearity; None in a block without one
    act: Array | None  # (T, F) after it

    def stage(self, name: str) -> Array:
        """The vectors (T, D) of a stage by its name."""
        return next(stage.vectors for stage in self.stages if stage.name == name)

    @property
    def sums(self) -> list[tuple[int, int, int]]:
        """For attention and feed-forward: the places of the stream before, of what is written, of the stream after."""
        streams, writes = ([i for i, one in enumerate(self.stages) if one.kind == kind] for kind in ("stream", "write"))
        return list(zip(streams[:-1], writes, streams[1:], strict=True))


@memoize(MAX_TRACES)
def block_of(given: ModelAndText, layer: int) -> BlockRecord:
    """A model's text in one of its blocks."""
    return record(given.model, given.ids, layer)


@torch.no_grad()
def record(model: nn.Module, ids: Sequence[int] | Tensor, layer: int) -> BlockRecord:
    """Run the text through the model once and keep every stage of one block.

    Args:
        layer: which block, from 0.

    Raises:
        ValueError: if there are no tokens, too many, or some that the model does not know.
        IndexError: if there is no such block.

    Source: pre-norm x + f(norm(x)) and post-norm norm(x + f(x)): Xiong et al. 2020 (2002.04745), figure 1.
    """
    block: Any = model.blocks[layer]  # type: ignore[index]
    with Trace(model) as trace:
        model(as_batch(model, ids))

    def at(name: str) -> Tensor:
        return trace[f"blocks.{layer}.{name}"][0]

    style = block.style
    stages = [Stage("stream in", "stream", to_numpy(at("resid_in")))]
    parts = [("attention", at("resid_in"), at("attn.out"), at("resid_mid"), block.norm_1)]
    if style.feed_forward:
        parts.append(("feed-forward", at("resid_mid"), at("mlp.out"), at("resid_out"), block.norm_2))
    for name, before, written, after, norm in parts:
        if style.norm_first:
            stages.append(Stage(f"normed for {name}", "norm", to_numpy(norm(before))))
        stages.append(Stage(f"{name} writes", "write", to_numpy(written)))
        # In post-norm the norm stands on the stream itself: what leaves here has already gone through it.
        stages.append(Stage(f"stream after {name}", "stream", to_numpy(after)))
    if style.norm_first and layer == len(model.blocks) - 1 and "final" in trace:  # type: ignore[arg-type]
        stages.append(Stage("after the final norm", "norm", to_numpy(trace["final"][0])))
    return BlockRecord(
        layer=layer,
        norm_first=style.norm_first,
        residual=style.residual,
        stages=tuple(stages),
        pre=to_numpy(at("mlp.pre")) if style.feed_forward else None,
        act=to_numpy(at("mlp.act")) if style.feed_forward else None,
    )


def cosine(a: Array, b: Array) -> float:
    """The cosine of the angle between two vectors; nan where one of them is 0."""
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 0 else float("nan")
