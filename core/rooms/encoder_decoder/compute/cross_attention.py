"""One translation, and all that passes between an encoder and a decoder made of attention, as plain arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.generate.seq2seq import Attentive
from core.nn.attention import MultiHeadAttention
from core.nn.tap import Trace

Array = NDArray[np.float32]
MAX_TOKENS = 64


@dataclass(frozen=True)
class CrossAttentionRecord:
    """One source, one answer. Row t belongs to output token t, column s to source token s.

    Args:
        source: (S,) ids.
        fed: (T,) what the decoder read before each output token: the start token, then words.
        written: (T,) the most probable token after each; the words given at the beginning are among them.
        probabilities: (T, V) of the output tokens.
        encoder: (L, H, S, S) weights of the encoder's self-attention.
        decoder: (L, H, T, T) weights of the decoder's masked self-attention.
        cross: (L, H, T, S) weights of the cross-attention.
        scores: (L, H, T, S) before their softmax.
        q: (L, H, T, K) queries of the cross-attention, from the decoder.
        k, v: (L, H, S, K) its keys and values, from the encoder.
        scale: factor of its dot products.
    """

    source: NDArray[np.int64]
    fed: NDArray[np.int64]
    written: NDArray[np.int64]
    probabilities: Array
    encoder: Array
    decoder: Array
    cross: Array
    scores: Array
    q: Array
    k: Array
    v: Array
    scale: float

    def axes(self, part: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Whose ids stand at the rows, and whose at the columns, of the "encoder", the "decoder" or the "cross"."""
        rows = self.source if part == "encoder" else self.written
        return rows, self.fed if part == "decoder" else self.source


@torch.no_grad()
def record(
    model: Attentive,
    source: Sequence[int],
    *,
    start_id: int,
    end_id: int,
    max_new_tokens: int = MAX_TOKENS,
    forced: Sequence[int] | None = None,
    begun: Sequence[int] = (),
) -> CrossAttentionRecord:
    """Let the model write an answer, always the most probable token, and look at all of its attention.

    Args:
        source: ids.
        start_id, end_id: the decoder's first input, and the token that ends the answer.
        max_new_tokens: stop here if the answer has not ended.
        forced: (T,) the true answer: its tokens are read in place of the model's own (teacher forcing).
        begun: tokens that stand there already, whoever wrote them; the model goes on after them.

    Raises:
        ValueError: if the source is empty or too long, or knows other tokens.
    """
    ids = _checked(model, source)
    memory = model.encode(ids)
    fed = [start_id, *(begun if forced is None else forced[:-1])]
    while forced is None:
        token = int(model.decode(torch.tensor([fed]), memory)[0, -1].argmax())
        if token == end_id or len(fed) >= max_new_tokens:
            break
        fed.append(token)
    with Trace(model) as trace:
        logits = model(ids, torch.tensor([fed]))[0]
    written = logits.argmax(-1)
    if forced is None:
        written[: len(begun)] = torch.tensor(list(begun), dtype=written.dtype)

    def stacked(side: str, part: str) -> Array:
        keys = [key for key in trace if key.startswith(f"{side}.blocks.") and key.split(".", 3)[3] == part]
        return torch.cat([trace[key] for key in keys]).numpy()

    attention = cast(MultiHeadAttention, model.decoder.get_submodule("blocks.0.cross_attn"))
    return CrossAttentionRecord(
        source=np.array(source),
        fed=np.array(fed),
        written=written.numpy(),
        probabilities=logits.softmax(-1).numpy(),
        encoder=stacked("encoder", "attn.weights"),
        decoder=stacked("decoder", "attn.weights"),
        cross=stacked("decoder", "cross_attn.weights"),
        scores=stacked("decoder", "cross_attn.scores"),
        q=stacked("decoder", "cross_attn.q"),
        k=stacked("decoder", "cross_attn.k"),
        v=stacked("decoder", "cross_attn.v"),
        scale=attention.d_head**-0.5 if attention.scale is None else attention.scale,
    )


def swap(
    model: Attentive, first: Sequence[int], second: Sequence[int], at: int, *, start_id: int, end_id: int, most: int
) -> tuple[CrossAttentionRecord, CrossAttentionRecord]:
    """Write `at` tokens while the first source is read, then go on with the second one in its place.

    The decoder keeps its own words, and nothing else: from the exchange on all of its places read the second source.

    Returns:
        What is written with the first source throughout, and what is written with the exchange.
    """
    before = record(model, first, start_id=start_id, end_id=end_id, max_new_tokens=most)
    begun = [int(token) for token in before.written[:at] if token != end_id]
    return before, record(model, second, start_id=start_id, end_id=end_id, max_new_tokens=most, begun=begun)


def weights_table(
    weights: Array, rows: Sequence[str], columns: Sequence[str], *, first: str = "token", after: str = ""
) -> dict[str, list[Any]]:
    """One line for each token that is read, one column of weights for each token that reads.

    Args:
        weights: (T, S) of one head.
        rows, columns: (T,), (S,) names of the tokens.
        first: heading of the tokens that are read.
        after: what every other heading ends with.
    """
    return {first: list(columns), **{f"{t} {row}{after}": weights[t].tolist() for t, row in enumerate(rows)}}


def swap_table(mixed: CrossAttentionRecord, names: Sequence[str], at: int) -> dict[str, list[Any]]:
    """One line for each output token of an exchange after `at` tokens, given by its names.

    The probabilities are those with the second source, of the tokens before the exchange too.
    """
    return {
        "output token": list(names),
        "source": ["first" if t < at else "second" for t in range(len(names))],
        "probability": [float(mixed.probabilities[t, i]) for t, i in enumerate(mixed.written)],
    }


def share_on(weights: Array, places: Sequence[int]) -> Array:
    """Mean weight (L, H) that each head of (L, H, T, S) gives to one place for each of the first output tokens."""
    rows = np.arange(len(places))
    mean: Array = weights[:, :, rows, np.array(places, int)].mean(-1)
    return mean


def _checked(model: Attentive, source: Sequence[int]) -> Tensor:
    if not 1 <= len(source) <= MAX_TOKENS:
        raise ValueError(f"a source has 1 to {MAX_TOKENS} tokens, this one {len(source)}")
    if not all(0 <= i < model.config.vocab_size for i in source):
        raise ValueError(f"the model knows the tokens 0..{model.config.vocab_size - 1}")
    return torch.tensor([list(source)])
