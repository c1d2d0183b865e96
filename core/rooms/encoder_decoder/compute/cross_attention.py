"""A record of one translation, with all attention of the encoder and the decoder, as plain arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray

from core.generate.seq2seq import AttentionSeq2Seq
from core.nn.attention import MultiHeadAttention
from core.nn.tap import Trace
from core.rooms.encoder_decoder.compute import languages

Array = NDArray[np.float32]
MAX_TOKENS = 64


@dataclass(frozen=True)
class CrossAttentionRecord:
    """One source and one answer. Row t belongs to output token t, column s to source token s."""

    source: NDArray[np.int64]  # (S,) ids
    fed: NDArray[np.int64]  # (T,) the decoder's input before each output token: the start token, then words
    # (T,) the most probable token at each position; tokens that were given as `begun` are included
    written: NDArray[np.int64]
    probabilities: Array  # (T, V) of the output tokens
    encoder: Array  # (L, H, S, S) weights of the encoder's self-attention
    decoder: Array  # (L, H, T, T) weights of the decoder's masked self-attention
    cross: Array  # (L, H, T, S) weights of the cross-attention
    scores: Array  # (L, H, T, S) of the cross-attention, before the softmax
    q: Array  # (L, H, T, K) queries of the cross-attention, from the decoder
    k: Array  # k, v: (L, H, S, K) keys and values of the cross-attention, from the encoder
    v: Array
    scale: float  # factor of the dot products

    @property
    def tokens(self) -> list[str]:
        """The output, token by token."""
        return languages.ids_to_tokens(self.written.tolist())

    @property
    def reads(self) -> list[str]:
        """The decoder's input before each output token."""
        return languages.ids_to_tokens(self.fed.tolist())

    @property
    def answer(self) -> str:
        """The output as a text."""
        return languages.decode(self.written.tolist())

    @property
    def sure(self) -> list[float]:
        """The probability of each output token."""
        return [float(self.probabilities[t, token]) for t, token in enumerate(self.written)]


@torch.no_grad()
def record_cross_attention(
    model: AttentionSeq2Seq,
    source: Sequence[int],
    *,
    start_id: int,
    end_id: int,
    max_new_tokens: int = MAX_TOKENS,
    forced: Sequence[int] | None = None,
    begun: Sequence[int] = (),
) -> CrossAttentionRecord:
    """Let the model write an answer greedily, and record all of its attention.

    Args:
        max_new_tokens: the limit if the answer doesn't end before.
        forced: (T,) the true answer; its tokens are read instead of the model's own (teacher forcing).
        begun: the first tokens of the answer, from any model; the model continues after them.

    Raises:
        ValueError: if the source is empty or too long, or has ids outside the vocabulary.
    """
    if not 1 <= len(source) <= MAX_TOKENS:
        raise ValueError(f"a source has 1 to {MAX_TOKENS} tokens, this one {len(source)}")
    if not all(0 <= i < model.config.vocab_size for i in source):
        raise ValueError(f"the model knows the tokens 0..{model.config.vocab_size - 1}")
    ids = torch.tensor([list(source)])
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

    names = {"cross": "cross_attn.weights", **{name: f"cross_attn.{name}" for name in ("scores", "q", "k", "v")}}
    attention = cast(MultiHeadAttention, model.decoder.get_submodule("blocks.0.cross_attn"))
    return CrossAttentionRecord(
        source=np.array(source),
        fed=np.array(fed),
        written=written.numpy(),
        probabilities=logits.softmax(-1).numpy(),
        encoder=stacked("encoder", "attn.weights"),
        decoder=stacked("decoder", "attn.weights"),
        **{name: stacked("decoder", part) for name, part in names.items()},
        scale=attention.d_head**-0.5 if attention.scale is None else attention.scale,
    )
