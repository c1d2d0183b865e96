"""A sentence's probability, factor by factor, under different models, with the reasons for each token's loss.

p(x_1, ..., x_T) = p(x_1) p(x_2 | x_1) ... p(x_T | x_1, ..., x_{T-1}). Here a start token precedes x_1; every model
reads it, and its own loss is not counted.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.inspect import attention_record
from core.models.ngram import NGram
from core.models.registry import family_of

LABELS = module_labels(__name__)

N_TOP = 3


@dataclass(frozen=True)
class NGramEstimates:
    """An n-gram model's estimates for each token of a sentence."""

    p: NDArray[np.float64]  # (T,) probability of each token given those before it
    # (T,) length of the context that is looked up: less than order - 1 at the start of the sentence, and if the longer
    # context never occurred in the training text and the smoothing backs off to a shorter one
    context: NDArray[np.int64]
    count: NDArray[np.float64]  # (T,) how often the token followed this context
    total: NDArray[np.float64]  # (T,) how often this context occurred
    types: NDArray[np.float64]  # (T,) how many distinct tokens followed it
    lower: NDArray[np.float64]  # (T,) the probability under the next lower order


class NetPredictions(NamedTuple):
    """A net's predictions for each token of a sentence."""

    p: NDArray[np.float64]  # (T,) probability of each token given those before it
    top: NDArray[np.int64]  # (T, 3) the most probable tokens
    top_p: NDArray[np.float64]  # (T, 3) their probabilities
    # (L, H, T, T) of a transformer: row t is the attention of the position that predicts token t + 1, column 0 is the
    # start token; None for a net without attention
    weights: NDArray[np.float32] | None


@dataclass(frozen=True)
class LedgerRow:
    name: str  # identifies the model: "uniform", "5-gram", "GPT"
    kind: str  # "uniform", "ngram", "gru" or "gpt"
    p: NDArray[np.float64]  # (T,) probabilities
    mean: float  # nats per token on the evaluation slice; may be infinite
    order: int = 0  # of an n-gram
    counts: NGramEstimates | None = None  # of an n-gram
    guesses: NetPredictions | None = None  # of a net
    width: int = 0  # numbers in the state of a GRU

    @property
    def label(self) -> str:
        """The model's name on the screen."""
        if self.kind == "uniform":
            return LABELS["uniform"]
        return LABELS("n_gram", order=self.order) if self.order else self.name

    @property
    def losses(self) -> NDArray[np.float64]:
        """(T,) nats of each token."""
        with np.errstate(divide="ignore"):
            return -np.log(self.p)

    @property
    def nats(self) -> float:
        """Nats of the whole sentence."""
        return float(self.losses.sum())


def look_up_counts(model: NGram, ids: NDArray[np.int64]) -> NGramEstimates:
    """Look up every token of a sentence (T + 1,), which starts with the start token, in a fitted model."""
    passes_on = model.smoothing in ("interpolated", "kneser_ney")
    n_token, levels = len(ids) - 1, list(model.evidence(ids))
    p, count, total, types = (
        np.stack([getattr(level, name)[1:] for level in levels]) for name in ("p", "counts", "total", "types")
    )  # (order, T)
    reach = np.minimum(np.arange(1, n_token + 1), model.order - 1)  # tokens before it, including the start token
    if passes_on:
        known = np.where(np.arange(model.order)[:, None] <= reach, total > 0, False)
        reach = np.where(known, np.arange(model.order)[:, None], 0).max(0)
    at = np.arange(n_token)
    below = np.where(reach > 0, p[np.maximum(reach - 1, 0), at], 1 / model.vocab_size)
    return NGramEstimates(p[-1], reach, count[reach, at], total[reach, at], types[reach, at], below)


@torch.no_grad()
def predict_sentence(model: nn.Module, ids: NDArray[np.int64]) -> NetPredictions:
    """Return a net's predictions at every position of a sentence (T + 1,), which starts with the start token."""
    inputs, targets = torch.tensor(ids[:-1]), torch.tensor(ids[1:])
    chances = model(inputs[None])[0].double().softmax(-1)  # (T, V)
    top_p, top = chances.topk(min(N_TOP, chances.shape[1]), dim=-1)
    p = chances.gather(-1, targets[:, None])[:, 0]
    weights = attention_record.attention(model, inputs).weights if family_of(model).has_attention else None
    return NetPredictions(p.numpy(), top.numpy(), top_p.numpy(), weights)


@torch.no_grad()
def net_nats(model: nn.Module, windows: Int[Tensor, "W T_plus_1"], first: int = 0) -> float:
    """Return a net's mean loss on windows in nats per token; only the tokens from position `first` on count."""
    losses = torch.nn.functional.cross_entropy(model(windows[:, :-1]).mT, windows[:, 1:], reduction="none")
    return float(losses[:, first:].double().mean())


def ngram_nats(model: NGram, rows: NDArray[np.int64], places: NDArray[np.int64] | None = None) -> float:
    """Return an n-gram model's mean loss on texts (W, T) in nats per token; infinite if one token is impossible.

    Losses are counted from the second token on; with `places`, only at these places of one text (N,).
    """
    if places is not None:
        return -float(model.log_probs(rows).numpy()[places].mean())
    return -float(np.mean([model.log_probs(row).numpy()[1:] for row in rows]))
