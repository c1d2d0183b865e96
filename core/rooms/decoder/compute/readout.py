"""Reading every layer of a decoder as if it were the last one: the logit lens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.inspect.trace import as_batch
from core.nn.tap import Trace

N_TOP = 5


@dataclass(frozen=True)
class Lens:
    """What each layer would say at each position. Row 0 is the embedding, row l what leaves block l - 1."""

    top: NDArray[np.int64]  # (L + 1, T, n) the ids of the most probable tokens, best first
    probabilities: NDArray[np.float32]  # (L + 1, T, n) of these
    # (L + 1, T) place of the token that really came next, from 1; 0 at the last position, where none is known
    rank: NDArray[np.int64]
    truth: NDArray[np.float32]  # (L + 1, T) probability of that token; nan at the last position


def row_names(n_layer: int) -> list[str]:
    """What the rows of a `Lens` are: the embedding, and what leaves each block."""
    return ["embedding", *(f"after layer {n}" for n in range(n_layer - 1)), "output"]


def read_out(model: nn.Module, x: Float[Tensor, "*B T D"]) -> Float[Tensor, "*B T V"]:
    """Logits of any state of the residual stream, as the model itself makes them of the last one.

    Pre-norm models have a final norm, which belongs to the reading; in post-norm ones every block ends with its own.
    """
    parts: Any = model
    logits: Tensor = parts.unembed(parts.norm(x))
    return logits


@torch.no_grad()
def stream(model: nn.Module, ids: Int[Tensor, " T"]) -> Float[Tensor, "L1 T D"]:
    """The residual stream of one text: the embedding, and what leaves each block."""
    with Trace(model) as trace:
        model(ids[None])
    n_layer = sum(key.startswith("blocks.") and key.endswith(".resid_out") for key in trace)
    return torch.stack([trace["embed"][0], *(trace[f"blocks.{n}.resid_out"][0] for n in range(n_layer))])


@torch.no_grad()
def read_layers(model: nn.Module, ids: Sequence[int] | Tensor, n_top: int = N_TOP) -> Lens:
    """Read each layer's state with the model's own output layer.

    Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
    """
    ids = as_batch(model, ids)[0]
    found, shares, ranks, truths = [], [], [], []
    for state in stream(model, ids):  # one layer at a time: a vocabulary of 50,000 makes large tables
        probabilities = read_out(model, state).float().softmax(-1)  # (T, V)
        share, top = probabilities.topk(min(n_top, probabilities.shape[-1]), -1)
        own = probabilities[:-1].gather(-1, ids[1:, None])  # (T - 1, 1)
        rank = 1 + (probabilities[:-1] > own).sum(-1)
        found.append(top.cpu().numpy())
        shares.append(share.cpu().numpy())
        ranks.append(np.append(rank.cpu().numpy(), 0))
        truths.append(np.append(own[:, 0].cpu().numpy(), np.nan))
    return Lens(np.stack(found), np.stack(shares), np.stack(ranks), np.stack(truths).astype(np.float32))
