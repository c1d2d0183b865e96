"""Sampling settings (temperature, top-k and top-p, in this order), and step-by-step generation with them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import nn

from core.data.localization.labels import module_labels
from core.exhibit import Table
from core.generate import decode, filters

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class FilterSettings:
    """The filters applied to the logits before sampling, in this order; the defaults change nothing."""

    temperature: float = 1.0  # 0 is greedy: the most probable token each time
    top_k: int = 0  # number of tokens to keep; 0 keeps all
    top_p: float = 1.0  # keep the most probable tokens that together reach this probability

    @property
    def greedy(self) -> bool:
        return self.temperature == 0

    def filters(self) -> list[Callable[[torch.Tensor], torch.Tensor]]:
        """Return the filters in the form that `core.generate.decode.generate` takes."""
        return [
            *([partial(filters.temperature, t=self.temperature)] if self.temperature not in (0, 1) else []),
            *([partial(filters.top_k, k=self.top_k)] if self.top_k else []),
            *([partial(filters.top_p, p=self.top_p)] if self.top_p < 1 else []),
        ]

    def probabilities(self, logits: Float[np.ndarray, " V"]) -> Float[np.ndarray, " V"]:
        """Return the distribution from which tokens are sampled: all filters, then the softmax."""
        x = torch.tensor(logits)  # a copy, because shared arrays are read-only
        if self.greedy:
            return np.eye(1, len(logits), int(x.argmax()))[0]
        for function in self.filters():
            x = function(x)
        return np.asarray(x.softmax(-1).numpy())

    def table(self, vocabulary: Sequence[str], logits: Float[np.ndarray, " V"]) -> Table:
        """Return a table of all tokens' probabilities before and after filtering, the most probable token first."""
        plain, after = FilterSettings().probabilities(logits), self.probabilities(logits)
        order = np.argsort(-plain, kind="stable")
        return {
            LABELS["column.id"]: order,
            LABELS["column.token"]: [vocabulary[i] for i in order],
            LABELS["column.logit"]: logits[order],
            LABELS["column.probability"]: plain[order],
            LABELS["column.filtered"]: after[order],
        }

    @property
    def in_words(self) -> str:
        """Describe the settings in words, for a caption."""
        if self.greedy:
            return LABELS["greedy"]
        parts = [LABELS("temperature", temperature=self.temperature)]
        parts += [LABELS("top_k", top_k=self.top_k)] if self.top_k else []
        parts += [LABELS("top_p", top_p=self.top_p)] if self.top_p < 1 else []
        return ", ".join(parts)


_MIN_WIDTH = 5e-4  # narrower tokens are less than a pixel wide


@dataclass(frozen=True)
class _TokenIntervals:
    """The tokens side by side between 0 and 1, in the order of their ids, each as wide as its probability.

    Tokens that are too narrow to be seen are left out, except the selected one.
    """

    tokens: Int[NDArray[np.int64], " n"]
    low: Float[NDArray[np.float64], " n"]
    high: Float[NDArray[np.float64], " n"]


@dataclass(frozen=True)
class SampledText:
    """The generated tokens, step by step."""

    tokens: Int[NDArray[np.int64], " N"]
    probabilities: Float[NDArray[np.float64], " N"]  # of each token, in the distribution it was sampled from
    draws: Float[NDArray[np.float64], " N"]  # the uniform random numbers; NaN if nothing was sampled (greedy)
    n_kept: Int[NDArray[np.int64], " N"]  # number of tokens that the filters left
    lines: tuple[_TokenIntervals, ...]  # the line on which each number fell

    def first(self, n: int) -> "SampledText":
        """Return the first n steps."""
        return SampledText(**{name: values[:n] for name, values in vars(self).items()})

    def table(self, vocabulary: Sequence[str]) -> Table:
        """Return a table with one row for each step."""
        return {
            LABELS["column.step"]: list(range(1, len(self.tokens) + 1)),
            LABELS["column.id"]: self.tokens,
            LABELS["column.token"]: [vocabulary[i] for i in self.tokens],
            LABELS["column.probability"]: self.probabilities,
            LABELS["column.draw"]: self.draws,
            LABELS["column.n_kept"]: self.n_kept,
        }


def sample_continuation(
    model: nn.Module,
    ids: Sequence[int],
    n: int,
    settings: FilterSettings,
    seed: int,
    *,
    eos_id: decode.EndTokens = None,
) -> SampledText:
    """Continue a text by n tokens, or until an end token.

    The same seed gives the same tokens, and fewer steps give the same beginning.

    Raises ValueError like `core.generate.decode.generate`.
    """
    steps = list(
        decode.generate(
            model, list(ids), n, filters=settings.filters(), greedy=settings.greedy, seed=seed, eos_id=eos_id
        )
    )
    return SampledText(
        tokens=np.array([int(step.token) for step in steps], dtype=np.int64),
        probabilities=np.array([float(step.log_prob.exp()) for step in steps]),
        draws=np.array([np.nan if step.draw is None else float(step.draw) for step in steps]),
        n_kept=np.array([int(step.kept.sum()) for step in steps], dtype=np.int64),
        lines=tuple(_line(step, settings.greedy) for step in steps),
    )


def _line(step: decode.Step, is_greedy: bool) -> _TokenIntervals:
    token, share = int(step.token), step.probabilities.numpy()
    if is_greedy:
        share = np.eye(1, len(share), token)[0]
    ends = np.append(0, share.cumsum(dtype=np.float64))
    ends /= ends[-1]
    wide = np.flatnonzero((np.diff(ends) > _MIN_WIDTH) | (np.arange(len(share)) == token))
    return _TokenIntervals(wide, ends[wide], ends[wide + 1])
