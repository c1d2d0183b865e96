"""The output layer applied to the last hidden row, and its matrix compared with the embedding."""

from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core.exhibit import Result
from core.inspect.attention_record import as_batch
from core.models.gpt import GPT
from core.nn.tap import Trace


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
