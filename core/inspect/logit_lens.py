"""The logit lens: read out each layer of a model as if it were the last one.

    lens = logit_lens(model, tokenizer.encode("Tom and Mia played"))
    lens.top[3, -1, 0]                 # id of the most probable next token, read out after three blocks

What it shows is which tokens a layer's state already points to, in the directions that the last layer uses. A layer may
hold information in other directions; the lens doesn't see it. (A trained translation for each layer, the tuned lens,
sees more: Belrose et al. 2023, 2303.08112.)

Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
"""

from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Result
from core.inspect.attention_record import as_batch
from core.models.gpt import GPT
from core.nn.tap import Trace

LABELS = module_labels(__name__)

N_TOP = 5


class LogitLens(Result):
    """Each layer's predictions at each position. Row 0 is the embedding, row l the output of block l - 1."""

    top: NDArray[np.int64]  # (L + 1, T, n) the ids of the most probable tokens, best first
    probabilities: NDArray[np.float32]  # (L + 1, T, n) their probabilities
    # (L + 1, T) rank, from 1, of the token that really comes next; 0 at the last position, where it is unknown
    rank: NDArray[np.int64]
    truth: NDArray[np.float32]  # (L + 1, T) probability of that token; nan at the last position


def logit_lens_row_names(n_layer: int) -> list[str]:
    """Return the names of the rows of a `LogitLens`: the embedding, and the output of each block."""
    return [LABELS["embedding"], *(LABELS("after_layer", n=n) for n in range(n_layer - 1)), LABELS["output"]]


def readout_logits(model: nn.Module, x: Float[Tensor, "*B T D"]) -> Float[Tensor, "*B T V"]:
    """Return the logits of any state of the residual stream, computed as the model computes them from the last state.

    Most models have a final norm, which is part of the readout, as is the soft cap of the logits, if there is one. In
    post-norm models every block ends with a norm of its own.
    """
    parts = cast(GPT, model)
    logits: Tensor = parts.soft_capped(parts.unembed(parts.norm(x)))
    return logits


@torch.no_grad()
def layer_states(model: nn.Module, ids: Int[Tensor, " T"]) -> Float[Tensor, "L1 T D"]:
    """Return the residual stream of one text: the embedding, and the output of each block."""
    with Trace(model) as trace:
        model(ids[None])
    n_layer = sum(key.startswith("blocks.") and key.endswith(".resid_out") for key in trace)
    return torch.stack([trace["embed"][0], *(trace[f"blocks.{n}.resid_out"][0] for n in range(n_layer))])


@torch.no_grad()
def logit_lens(model: nn.Module, ids: Sequence[int] | Tensor, n_top: int = N_TOP) -> LogitLens:
    """Apply the model's own output layer to each layer's state.

    Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
    """
    ids = as_batch(model, ids)[0]
    found, shares, ranks, truths = [], [], [], []
    for state in layer_states(model, ids):  # one layer at a time: a vocabulary of 50,000 makes large tables
        probabilities = readout_logits(model, state).float().softmax(-1)  # (T, V)
        share, top = probabilities.topk(min(n_top, probabilities.shape[-1]), -1)
        own = probabilities[:-1].gather(-1, ids[1:, None])  # (T - 1, 1)
        rank = 1 + (probabilities[:-1] > own).sum(-1)
        found.append(top.cpu().numpy())
        shares.append(share.cpu().numpy())
        ranks.append(np.append(rank.cpu().numpy(), 0))
        truths.append(np.append(own[:, 0].cpu().numpy(), np.nan))
    return LogitLens(
        top=np.stack(found),
        probabilities=np.stack(shares),
        rank=np.stack(ranks),
        truth=np.stack(truths).astype(np.float32),
    )
