"""Linear layers and embeddings whose weights may have half the precision of the activations.

Published models are stored in 16 bits. We keep them that way, which takes half the memory, and widen the weights to
float32 only while they are used. Widening takes time, so it is done in parts that fit into a core's own cache: with
parts of 16 MB the server generated text half as fast (`benchmarks.todays_models`).
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

HALF_DTYPES = (torch.bfloat16, torch.float16)
CHUNK_SIZE = 2**18  # weights that are widened at once: 1 MB, which a core's own cache holds
_ROW_MULTIPLE = 16  # each part begins at a multiple of it, where a block of the whole product begins, too


def linear(
    x: Float[Tensor, "*batch d_in"], weight: Float[Tensor, "d_out d_in"], bias: Float[Tensor, " d_out"] | None = None
) -> Float[Tensor, "*batch d_out"]:
    """Return x W' + b, and widen W part by part if it has half the precision of x.

    For one row of x the result is bit for bit that of widening W as a whole (on one thread); for several rows it agrees
    up to rounding, because a matrix product may add up in an order that depends on the number of rows of W.
    """
    if weight.dtype not in HALF_DTYPES or x.dtype in HALF_DTYPES:
        return F.linear(x, weight, bias)
    parts = weight.split(_sizes(*weight.shape))
    if torch.is_grad_enabled() and (x.requires_grad or weight.requires_grad):  # the backward pass needs every part
        y = torch.cat([F.linear(x, part.to(x.dtype)) for part in parts], -1)
    else:
        # One buffer for all parts. With a new one for each, small results would lie between them, and glibc would ask
        # the system for 100 MB and give it back for every generated token.
        wide = x.new_empty(max(map(len, parts)), weight.shape[1])
        y = torch.cat([F.linear(x, wide[: len(part)].copy_(part)) for part in parts], -1)
    return y if bias is None else y + bias


def _sizes(n_row: int, d_in: int) -> list[int]:
    """Return the number of rows of each part; the last one takes the rest, because few rows may add up differently."""
    size = max(_ROW_MULTIPLE, CHUNK_SIZE // d_in // _ROW_MULTIPLE * _ROW_MULTIPLE)
    n_part = max(1, round(n_row / size))
    return [size] * (n_part - 1) + [n_row - size * (n_part - 1)]


class Linear(nn.Linear):
    """A linear layer, x W' + b, with W of shape (d_out, d_in).

    Elsewhere: GPT-2's `Conv1D` stores the transpose, (d_in, d_out); so does TransformerLens.
    """

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        return linear(x, self.weight, self.bias)


class Embedding(nn.Embedding):
    """An embedding table with one row for each id.

    Attributes:
        is_widened: whether rows of half precision are returned as float32, so that everything after them is computed in
            float32.

    Elsewhere: a model's `tok_emb` is `wte` in GPT-2, `embed_tokens` in Llama, `word_embeddings` in BERT, `W_E` in
    TransformerLens.
    """

    is_widened = False

    def forward(self, ids: Int[Tensor, "*batch"]) -> Float[Tensor, "*batch D"]:
        rows = super().forward(ids)
        return rows.float() if self.is_widened else rows
