"""An encoder-decoder writes by itself: each token that it chose is what it reads next."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from core.models.seq2seq import Seq2Seq


@torch.no_grad()
def greedy(
    model: Seq2Seq,
    source: Int[Tensor, "B S"],
    mask: Bool[Tensor, "B S"] | None = None,
    *,
    start_id: int,
    end_id: int,
    max_new_tokens: int,
) -> Int[Tensor, "B T"]:
    """The most probable token at each step, for a batch of sources.

    Args:
        mask: of the source, True where there is a token.
        start_id: what the decoder reads first.
        end_id: ends a row; the row is filled up with it.
        max_new_tokens: stop here if some row has not ended.

    Returns:
        As many columns as the longest row needs, its end token among them.

    Raises:
        ValueError: if max_new_tokens is not positive.
    """
    if max_new_tokens < 1:
        raise ValueError(f"max_new_tokens={max_new_tokens} must be at least 1")
    states, state = model.encode(source, mask)
    read = model.read(states)
    written: list[Tensor] = []
    ids = source.new_full((len(source),), start_id)
    ended = torch.zeros_like(ids, dtype=torch.bool)
    while len(written) < max_new_tokens and not bool(ended.all()):
        logits, state = model.step(ids, state, states, mask, read)
        ids = logits.argmax(-1).masked_fill(ended, end_id)  # (B,)
        ended = ended | (ids == end_id)
        written.append(ids)
    return torch.stack(written, 1)
