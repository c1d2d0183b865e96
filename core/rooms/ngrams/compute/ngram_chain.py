"""The chain rule, factor by factor: what each order says of every token of a sentence, and the counts behind it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.models.ngram import NGram


@dataclass(frozen=True)
class Chain:
    """A sentence of T tokens under O models. Arrays (O, T); the counts of a factor are those of its own context."""

    p: NDArray[np.float64]  # the factors
    n_context: NDArray[np.int64]  # how many tokens of the past each looks at: n - 1, fewer at the start of the text
    counts: NDArray[np.float64]  # c(h, w)
    totals: NDArray[np.float64]  # c(h)
    types: NDArray[np.float64]  # t(h)
    # p(w | h') of the order below, which some smoothings mix in; 1 / V below the single tokens
    lower: NDArray[np.float64]

    @property
    def product(self) -> NDArray[np.float64]:
        """(O,) p(x_1, ..., x_T): the product of the factors."""
        return self.p.prod(1)

    @property
    def log_sum(self) -> NDArray[np.float64]:
        """(O,) the sum of the logarithms of the factors, in nats; -inf if one of them is 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.p).sum(1)

    @property
    def perplexity(self) -> NDArray[np.float64]:
        """(O,) exp(-log_sum / T)."""
        return np.exp(-self.log_sum / self.p.shape[1])


@dataclass(frozen=True)
class LongProduct:
    """What becomes of a long product of probabilities in float64 (about 16 digits; smallest number 5e-324)."""

    product: float  # what float64 makes of them
    zero_after: int | None  # after how many of them the product is 0, though no factor is; None: it never is
    log_sum: float  # the sum of their logarithms, in nats


def chain(models: Sequence[NGram], ids: Sequence[int]) -> Chain:
    """Every factor of a sentence under every model.

    At the start of the text, where fewer than n - 1 tokens stand before, the lower order is used that has a context of
    that length: p(x_1) p(x_2 | x_1) p(x_3 | x_1, x_2) ...

    Args:
        models: fitted, of one vocabulary.
        ids: (T,) at least one.
    """
    parts = [_factors(model, np.asarray(ids, dtype=np.int64)) for model in models]
    return Chain(*(np.stack(rows) for rows in zip(*parts, strict=True)))


def _factors(model: NGram, ids: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
    """p, context length, counts, totals, types and the lower order's p of one model, each (T,)."""
    n_context = np.minimum(np.arange(len(ids)), model.order - 1)
    lower = np.full(len(ids), 1 / model.vocab_size)
    picked = [np.full(len(ids), np.nan) for _ in range(5)]
    for n, level in enumerate(model.evidence(ids)):
        here = n_context == n
        for array, values in zip(picked, (level.p, level.counts, level.total, level.types, lower), strict=True):
            array[here] = values[here]
        lower = level.p
    p, *rest = picked
    return (p, n_context, *rest)


def multiply(log_probs: NDArray[np.float64]) -> LongProduct | None:
    """Multiply factors, given their logarithms (T,), one by one in float64; None if one of them is 0."""
    if not np.isfinite(log_probs).all():
        return None
    running = np.exp(log_probs).cumprod()
    zeros = np.flatnonzero(running == 0)
    zero_after = int(zeros[0]) + 1 if len(zeros) else None
    return LongProduct(float(running[-1]), zero_after, float(log_probs.sum()))
