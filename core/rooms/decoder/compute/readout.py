"""The output layer applied to hidden rows: to the last one for the answer, to any layer's for the logit lens."""

from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.exhibit import Result
from core.inspect.trace import as_batch
from core.models.gpt import GPT
from core.nn.tap import Trace

N_TOP = 5


class LensReadout(Result):
    """Each layer's predictions at each position. Row 0 is the embedding, row l the output of block l - 1."""

    top: NDArray[np.int64]  # (L + 1, T, n) the ids of the most probable tokens, best first
    probabilities: NDArray[np.float32]  # (L + 1, T, n) their probabilities
    # (L + 1, T) rank, from 1, of the token that really comes next; 0 at the last position, where it is unknown
    rank: NDArray[np.int64]
    truth: NDArray[np.float32]  # (L + 1, T) probability of that token; nan at the last position


def row_names(n_layer: int) -> list[str]:
    """Return the names of the rows of a `LensReadout`: the embedding, and the output of each block."""
    return ["embedding", *(f"after layer {n}" for n in range(n_layer - 1)), "output"]


def readout_logits(model: nn.Module, x: Float[Tensor, "*B T D"]) -> Float[Tensor, "*B T V"]:
    """Return the logits of any state of the residual stream, computed as the model computes them from the last state.

    Most models have a final norm, which is part of the readout, as is the soft cap of the logits, if there is one. In
    post-norm models every block ends with a norm of its own.
    """
    parts = cast(GPT, model)
    logits: Tensor = parts.soft_capped(parts.unembed(parts.norm(x)))
    return logits


@torch.no_grad()
def stream_by_layer(model: nn.Module, ids: Int[Tensor, " T"]) -> Float[Tensor, "L1 T D"]:
    """Return the residual stream of one text: the embedding, and the output of each block."""
    with Trace(model) as trace:
        model(ids[None])
    n_layer = sum(key.startswith("blocks.") and key.endswith(".resid_out") for key in trace)
    return torch.stack([trace["embed"][0], *(trace[f"blocks.{n}.resid_out"][0] for n in range(n_layer))])


@torch.no_grad()
def read_layers(model: nn.Module, ids: Sequence[int] | Tensor, n_top: int = N_TOP) -> LensReadout:
    """Apply the model's own output layer to each layer's state.

    Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
    """
    ids = as_batch(model, ids)[0]
    found, shares, ranks, truths = [], [], [], []
    for state in stream_by_layer(model, ids):  # one layer at a time: a vocabulary of 50,000 makes large tables
        probabilities = readout_logits(model, state).float().softmax(-1)  # (T, V)
        share, top = probabilities.topk(min(n_top, probabilities.shape[-1]), -1)
        own = probabilities[:-1].gather(-1, ids[1:, None])  # (T - 1, 1)
        rank = 1 + (probabilities[:-1] > own).sum(-1)
        found.append(top.cpu().numpy())
        shares.append(share.cpu().numpy())
        ranks.append(np.append(rank.cpu().numpy(), 0))
        truths.append(np.append(own[:, 0].cpu().numpy(), np.nan))
    return LensReadout(
        top=np.stack(found),
        probabilities=np.stack(shares),
        rank=np.stack(ranks),
        truth=np.stack(truths).astype(np.float32),
    )


class LastRow(Result):
    """A model's prediction after a text, and the terms of its largest logits."""

    hidden: NDArray[np.float64]  # (D,) the input of the output layer: after the final norm, if there is one
    logits: NDArray[np.float64]  # (V,)
    probabilities: NDArray[np.float64]  # (V,) their softmax
    # (n,) ids of the most probable tokens, best first, and of the requested one if it is not among them
    shown: NDArray[np.int64]
    rows: NDArray[np.float64]  # (n, D) their rows of the output layer
    biases: NDArray[np.float64]  # (n,) their biases; zeros if the layer has none
    softcap: float | None  # the bound c of a logit, which is c tanh(sum / c) of the sum of products; None: no bound


class EmbeddingSimilarity(Result):
    """The similarity of each token's two rows, in the embedding and in the output layer (unembedding)."""

    tied: bool  # whether they are the same matrix
    own: NDArray[np.float64]  # (V,) cosine between each token's two rows; nan if a row is zero
    others: float  # mean cosine between the two rows of different tokens, over all pairs


@torch.no_grad()
def last_row(model: nn.Module, ids: Sequence[int], asked: int | None = None, n_shown: int = 10) -> LastRow:
    """Return the last row of a text, with the n_shown most probable tokens.

    Raises:
        ValueError: if the text is too long.
    """
    batch = as_batch(model, ids)
    with Trace(model) as trace:
        model(batch)
    hidden, logits = (trace[name][0, -1].double().cpu() for name in ("final", "logits"))  # (D,) and (V,)
    probabilities = logits.softmax(-1)
    order = probabilities.argsort(descending=True, stable=True)
    shown = order[: min(n_shown, len(order))].tolist()
    if asked is not None and asked not in shown:
        shown.append(asked)
    parts = cast(GPT, model)
    bias = parts.unembed.bias
    return LastRow(
        hidden=hidden.numpy(),
        logits=logits.numpy(),
        probabilities=probabilities.numpy(),
        shown=np.array(shown),
        rows=parts.unembed.weight[shown].double().cpu().numpy(),
        biases=np.zeros(len(shown)) if bias is None else bias[shown].double().cpu().numpy(),
        softcap=parts.config.modern.logit_softcap,
    )


@torch.no_grad()
def embedding_similarity(model: nn.Module) -> EmbeddingSimilarity:
    """Compare each token's row of the embedding with its row of the output layer."""
    parts = cast(GPT, model)
    n = len(parts.tok_emb.weight)
    own, sums = [], torch.zeros(2, parts.unembed.in_features, dtype=torch.float64)
    # In chunks, because both tables of a vocabulary of 50,000 in 64 bits would take half a gigabyte.
    for part in torch.arange(n).split(4_096):
        rows = parts.tok_proj(parts.tok_emb.weight[part]), parts.unembed.weight[part]
        entering, leaving = (x.double().cpu() for x in rows)  # (P, D) each
        one, other = (x / x.norm(dim=-1, keepdim=True) for x in (entering, leaving))
        own.append((one * other).sum(-1))
        sums += torch.stack([one.nan_to_num().sum(0), other.nan_to_num().sum(0)])
    found = torch.cat(own)  # (V,)
    others = float((sums[0] @ sums[1] - found.nan_to_num().sum()) / max(1, n * (n - 1)))
    return EmbeddingSimilarity(tied=parts.unembed.weight is parts.tok_emb.weight, own=found.numpy(), others=others)
