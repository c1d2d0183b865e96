"""Free-running generation with an encoder-decoder: each generated token is the decoder's next input.

The source is a text, as ids, or a picture (for a captioner).
"""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from core.models.images.captioner import Captioner
from core.models.original_transformer import Transformer
from core.models.recurrent_seq2seq import RecurrentSeq2Seq
from core.models.t5 import T5

EncoderDecoder = RecurrentSeq2Seq | T5 | Transformer | Captioner
AttentionSeq2Seq = T5 | Transformer | Captioner  # their decoders attend to all generated tokens and have no state
_Source = Int[Tensor, "B S"] | Float[Tensor, "B C Y X"]


@torch.no_grad()
def greedy_decode(
    model: EncoderDecoder,
    source: _Source,
    mask: Bool[Tensor, "B S"] | None = None,
    *,
    start_id: int,
    end_id: int,
    max_new_tokens: int,
) -> Int[Tensor, "B T"]:
    """Generate greedily for a batch of sources: take the most probable token at each step.

    mask: True where the source has a token. Each row is started with start_id, which is not part of the result, and is
    padded with end_id after its end. There are as many columns as the longest row needs, at most max_new_tokens. Raises
    ValueError if max_new_tokens is not positive.

    Source: Sutskever et al. 2014 (1409.3215), section 3.2, with a beam of one.
    """
    if max_new_tokens < 1:
        raise ValueError(f"max_new_tokens={max_new_tokens} must be at least 1")
    next_logits = (_stateful if hasattr(model, "step") else _stateless)(model, source, mask)
    ids = torch.full((len(source), 1), start_id, device=source.device)
    ended = torch.zeros_like(ids[:, 0], dtype=torch.bool)
    while ids.shape[1] <= max_new_tokens and not bool(ended.all()):
        chosen = next_logits(ids).argmax(-1).masked_fill(ended, end_id)  # (B,)
        ended = ended | (chosen == end_id)
        ids = torch.cat([ids, chosen[:, None]], 1)
    return ids[:, 1:]


@torch.no_grad()
def make_next_log_probs(model: AttentionSeq2Seq, source: _Source) -> Callable[[Tensor], Tensor]:
    """Return the function that `core.generate.beam` calls for one source: prefixes (N, T) -> log-probs (N, V)."""
    memory = model.encode(source)

    @torch.no_grad()
    def ask(ids: Int[Tensor, "N T"]) -> Float[Tensor, "N V"]:
        return model.decode(ids, memory.expand(len(ids), -1, -1))[:, -1].log_softmax(-1)

    return ask


def _stateless(model: Any, source: Tensor, mask: Tensor | None) -> Callable[[Tensor], Tensor]:
    """Return a function that reads the whole output again at each step, because the targets here are short."""
    memory = model.encode(source) if mask is None else model.encode(source, mask)
    return lambda ids: model.decode(ids, memory, mask)[:, -1]


def _stateful(model: Any, source: Tensor, mask: Tensor | None) -> Callable[[Tensor], Tensor]:
    """Return a function that reads only the last token, because the state holds the rest."""
    states, state = model.encode(source, mask)
    read = model.read(states)

    def next_logits(ids: Tensor) -> Tensor:
        nonlocal state
        logits, state = model.step(ids[:, -1], state, states, mask, read)
        return logits

    return next_logits
