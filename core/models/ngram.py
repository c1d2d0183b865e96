"""n-gram models: predict the next token by counting what followed the last few tokens in the training text.

How the counts are kept. Every n-gram that occurs gets a number, level by level. The number of an n-gram's first n - 1
tokens (its context) and its last token make one integer key,

    key = context * vocab_size + token,

and the place of that key among all sorted keys of its length is the n-gram's own number. So the n-grams that share a
context are next to each other, looking one up is a binary search, and both work for all positions of a text at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from core.data.checks import check_float, check_whole
from core.nn import checks

Smoothing = Literal["mle", "laplace", "lidstone", "kneser_ney", "interpolated"]
Ids = Sequence[int] | Sequence[Sequence[int]] | NDArray[np.integer] | Tensor
IdRows = NDArray[np.int64]

UNSEEN = -1  # the number of whatever never occurred, or would begin before the text; it points at a final 0


@dataclass(frozen=True)
class NGramOrderCounts:
    """All n-grams of one length: G of them, over C contexts. Every array ends with one more entry for UNSEEN."""

    keys: IdRows  # (G + 1,) sorted; context * vocab_size + token, and at the end a number larger than all
    # (G + 1,) how often each occurs; for Kneser-Ney's lower levels, after how many different tokens
    counts: NDArray[np.float64]
    total: NDArray[np.float64]  # (C + 1,) the sum of the counts of a context
    types: NDArray[np.float64]  # (C + 1,) how many different tokens follow a context

    @staticmethod
    def build(keys: IdRows, counts: IdRows, n_context: int, vocab_size: int) -> "NGramOrderCounts":
        context = keys // vocab_size
        return NGramOrderCounts(
            keys=np.append(keys, np.iinfo(np.int64).max),
            counts=np.append(counts, 0).astype(np.float64),
            total=np.bincount(context, weights=counts, minlength=n_context + 1).astype(np.float64),
            types=np.bincount(context[counts > 0], minlength=n_context + 1).astype(np.float64),
        )

    def find(self, keys: IdRows) -> IdRows:
        """Return the numbers of the n-grams with these keys; UNSEEN (whose keys are negative) stays UNSEEN."""
        place = np.searchsorted(self.keys, keys)
        return np.where(self.keys[place] == keys, place, UNSEEN)


@dataclass(frozen=True)
class _Evidence:
    """The counts of one level for every token of a text, given the n tokens before it. NumPy arrays (T,).

    The first n tokens have no context of that length: their counts are nan and p is that of the level below.
    """

    counts: NDArray[np.float64]  # c(h, w); for Kneser-Ney's lower levels, after how many different tokens it occurs
    total: NDArray[np.float64]  # c(h)
    types: NDArray[np.float64]  # t(h)
    # the probability that this level arrives at, those below it mixed in where the smoothing does so
    p: NDArray[np.float64]


class NGram:
    """Predict the next token from the `order - 1` tokens before it.

    With c(h, w) the count of context h followed by token w, c(h) its sum over w, t(h) the number of different tokens
    seen after h, and h' the context without its first token:

    - "mle": c(h, w) / c(h). What never occurred is impossible, so the perplexity of a new text is often infinite. After
      an unseen context there is nothing to divide: all probabilities are 0.
    - "lidstone": (c(h, w) + gamma) / (c(h) + gamma V), and "laplace" the same with gamma = 1.
    - "interpolated": (c(h, w) + s t(h) p(w | h')) / (c(h) + s t(h)), down to the uniform 1 / V below the single
      tokens: the more different tokens follow a context, the more the shorter one is asked. With s = 1 it is
      Witten and Bell's formula; s = 4 does better on characters, word pieces and words alike.
    - "kneser_ney": max(c(h, w) - d, 0) / c(h) + d t(h) / c(h) p(w | h'). Below the highest order, c(h, w) counts the
      different tokens before (h, w) instead of its occurrences. The lowest level is that share undiscounted, as
      in the paper and in NLTK, so a token never seen after another one has probability 0, and a new text with a
      single such token has infinite perplexity (`impossible` finds it). With `uniform=True` the lowest level is
      discounted towards 1 / V, as by KenLM.

    After an unseen context the last two pass on to p(w | h').

    At the start of a text, where fewer than `order - 1` tokens come before, the lower order is used that has a
    context of that length: there are no padding tokens.

    Args:
        order: the n of n-gram: 1 looks at nothing, 2 at one token before.
        vocab_size: V; ids go from 0 to V - 1.
        smoothing: see above.
        options: `gamma` (lidstone, default 0.1), `strength` (s, interpolated, default 4), `discount` (d, kneser_ney,
            default 0.75), `uniform` (kneser_ney, default False).

    Raises:
        ValueError: for an order, vocabulary, smoothing or option that makes no sense.

    Source: Chen and Goodman 1999, "An Empirical Study of Smoothing Techniques for Language Modeling", sections 2.1
    (additive), 2.5 (Witten-Bell) and 2.7 (Kneser-Ney).
    """

    def __init__(self, order: int, vocab_size: int, smoothing: Smoothing = "mle", **options: float) -> None:
        defaults: dict[str, dict[str, float]] = {
            "mle": {},
            "laplace": {},
            "lidstone": {"gamma": 0.1},
            "kneser_ney": {"discount": 0.75, "uniform": False},
            "interpolated": {"strength": 4.0},
        }
        if check_whole("order", order) < 1 or check_whole("vocab_size", vocab_size) < 1:
            raise ValueError(f"order={order} and vocab_size={vocab_size} must both be at least 1")
        if not isinstance(smoothing, str) or smoothing not in defaults:
            raise ValueError(f"smoothing={smoothing!r} is unknown: choose one of {', '.join(defaults)}")
        for name in options.keys() - defaults[smoothing].keys():
            raise ValueError(f"smoothing={smoothing!r} has no option {name!r}")
        self.order = order
        self.vocab_size = vocab_size
        self.smoothing = smoothing
        self.options = defaults[smoothing] | options
        for name, value in options.items():
            _ = isinstance(value, bool) or check_float(name, value)
        if not 0 <= self.options.get("discount", 0) <= 1:
            raise ValueError(f"discount={self.options['discount']} must lie between 0 and 1")
        for name in ("gamma", "strength"):
            if not 0 <= self.options.get(name, 0) < float("inf"):
                raise ValueError(f"{name}={self.options[name]} must be a number from 0 on")
        self.levels: list[NGramOrderCounts] = []  # levels[n - 1] holds the n-grams of length n

    def fit(self, ids: Ids) -> Self:
        """Count all n-grams up to `order` in a text of ids.

        Raises:
            ValueError: if there are no ids, or one is outside of the vocabulary.
        """
        tokens = self._check(ids).ravel()  # (T,)
        if len(tokens) == 0:
            raise ValueError("an n-gram model cannot be fitted on an empty text")
        if (len(tokens) + 1) * self.vocab_size >= np.iinfo(np.int64).max:  # no n-grams are more than the tokens
            raise ValueError(
                f"{len(tokens):,} tokens of a vocabulary of {self.vocab_size:,} need keys of more than 63 bits"
            )
        keys: list[IdRows] = []
        counts: list[IdRows] = []
        below = context = np.zeros(len(tokens), dtype=np.int64)  # each position's context: at first the empty one
        for n in range(self.order):
            ending_here = context * self.vocab_size + tokens[n:]  # (T - n,) keys of the n-grams with n + 1 tokens
            unique, number, count = np.unique(ending_here, return_inverse=True, return_counts=True)
            if n > 0 and self.smoothing == "kneser_ney":  # then the level below is not the highest
                counts[-1] = _continuations(number, below[1:], len(unique), len(keys[-1]))
            keys.append(unique)
            counts.append(count)
            below, context = number, number[:-1]
        n_context = [1] + [len(k) for k in keys[:-1]]
        self.levels = [
            NGramOrderCounts.build(*level, self.vocab_size) for level in zip(keys, counts, n_context, strict=True)
        ]
        return self

    def probabilities(self, context: Ids) -> Float[Tensor, " V"]:
        """Return the distribution of the next token, float64, after a context of any length, even an empty one."""
        tokens = self._check(context).reshape(1, -1)  # (1, T)
        tokens = tokens[:, max(0, tokens.shape[1] - self.order + 1) :]
        return torch.from_numpy(self._distributions(tokens)[0, -1])

    def logits(self, ids: Int[Tensor, "B T"] | Sequence[Sequence[int]]) -> Float[Tensor, "B T V"]:
        """Return log-probabilities of the token after each position, like any model's logits; impossible is -inf."""
        tokens = self._check(ids)
        if tokens.ndim != 2:
            raise ValueError(f"ids have {tokens.ndim} dimensions; logits needs 2: batch and positions")
        distributions = torch.from_numpy(self._distributions(tokens)[:, 1:])  # (B, T, V)
        return distributions.log().to(ids.device if isinstance(ids, Tensor) else "cpu")

    __call__ = logits

    def parameters(self) -> Iterator[Tensor]:
        """Yield nothing: counts are on the CPU and no gradient trains them. (Callers ask this of any model.)"""
        return iter(())

    def log_probs(self, ids: Ids) -> Float[Tensor, " T"]:
        """Return log p of every token of a text given those before it, in nats; float64. Never builds (T, V)."""
        *_, highest = self.evidence(ids)
        return torch.from_numpy(highest.p).log()

    def evidence(self, ids: Ids) -> Iterator[_Evidence]:
        """Return the counts behind every token's probability, level by level, starting with the empty context."""
        tokens = self._check(ids).ravel()  # (T,)
        p = np.full(len(tokens), 1 / self.vocab_size)  # (T,)
        for n, (level, context) in enumerate(zip(self.levels, self._contexts(tokens[None]), strict=True)):
            here = context[0, n:-1]  # the first n positions have no context of n tokens: they keep the lower order
            seen = (level.counts[level.find(here * self.vocab_size + tokens[n:])], level.total[here], level.types[here])
            p = np.concatenate([p[:n], self._smooth(n, *seen, p[n:])])
            missing = np.full(min(n, len(tokens)), np.nan)
            counts, total, types = (np.concatenate([missing, one]) for one in seen)
            yield _Evidence(counts, total, types, p)

    def perplexity(self, ids: Ids) -> float:
        """Return exp of the mean surprise per token: 1 is certainty, V is guessing uniformly.

        It is infinite if a single token has probability 0; `impossible` returns which ones have. With "kneser_ney"
        these are tokens that never followed another one in the training text, because its lowest level isn't
        smoothed. `uniform=True` smooths it. So do all other kinds but "mle": then any perplexity is finite.

        Raises:
            ValueError: if there are no ids.
        """
        log_probs = self.log_probs(ids)
        if len(log_probs) == 0:
            raise ValueError("the perplexity of an empty text is not defined")
        return float(torch.exp(-log_probs.mean()))

    def impossible(self, ids: Ids) -> Int[Tensor, " N"]:
        """Return the positions in a text whose token has probability 0: they make its perplexity infinite."""
        return torch.isneginf(self.log_probs(ids)).nonzero().flatten()

    def _distributions(self, tokens: IdRows) -> NDArray[np.float64]:
        """(B, T) ids to (B, T + 1, V): what comes first, and what comes after each position."""
        n_batch, n_position = tokens.shape
        p = np.full((n_batch, n_position + 1, self.vocab_size), 1 / self.vocab_size)
        for n, (level, context) in enumerate(zip(self.levels, self._contexts(tokens), strict=True)):
            here = context[:, n:].ravel()  # (N,) = B x (T + 1 - n)
            start = np.searchsorted(level.keys, here * self.vocab_size)  # a context's n-grams are adjacent
            length = np.searchsorted(level.keys, (here + 1) * self.vocab_size) - start
            row = np.repeat(np.arange(len(here)), length)
            place = np.arange(len(row)) + np.repeat(start - np.cumsum(length) + length, length)
            counts = np.zeros((len(here), self.vocab_size))
            counts[row, level.keys[place] % self.vocab_size] = level.counts[place]  # (N, V)
            lower = p[:, n:].reshape(counts.shape)
            mixed = self._smooth(n, counts, level.total[here, None], level.types[here, None], lower)
            p[:, n:] = mixed.reshape(p[:, n:].shape)
        return p

    def _smooth(
        self,
        n: int,
        counts: NDArray[np.float64],
        total: NDArray[np.float64],
        types: NDArray[np.float64],
        lower: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Apply the formulas of the class for a context of n tokens, to arrays that broadcast to one shape."""
        if self.smoothing in ("mle", "laplace", "lidstone"):
            gamma = {"mle": 0.0, "laplace": 1.0}.get(self.smoothing, self.options.get("gamma", 0.0))
            divisor = total + gamma * self.vocab_size
            return (counts + gamma) / np.where(divisor > 0, divisor, 1)
        seen = np.where(total > 0, total, 1)  # only keeps 0 / 0 away: those places take the lower order below
        if self.smoothing == "interpolated":
            weight = self.options["strength"] * types
            mixed = (counts + weight * lower) / (seen + weight)
        else:
            discount = self.options["discount"] if n > 0 or self.options["uniform"] else 0.0
            mixed = (np.maximum(counts - discount, 0) + discount * types * lower) / seen
        return np.where(total > 0, mixed, lower)

    def _contexts(self, tokens: IdRows) -> list[IdRows]:
        """(B, T) ids to one (B, T + 1) per level: the number of the context before each position and after the last."""
        if not self.levels:
            raise ValueError("this n-gram model has not been fitted yet")
        contexts = [np.zeros((tokens.shape[0], tokens.shape[1] + 1), dtype=np.int64)]
        for level in self.levels[:-1]:
            longer = np.full_like(contexts[0], UNSEEN)
            longer[:, 1:] = level.find(contexts[-1][:, :-1] * self.vocab_size + tokens)
            contexts.append(longer)
        return contexts

    def _check(self, ids: Ids) -> IdRows:
        """Convert ids to int64 in NumPy, and check that each is in the vocabulary."""
        array = checks.as_ids("ids", ids, "(T,) or (B, T)").cpu().numpy()
        if array.size and not 0 <= array.min() <= array.max() < self.vocab_size:
            raise ValueError(
                f"ids from {array.min()} to {array.max()} are outside the vocabulary: 0 to {self.vocab_size - 1}"
            )
        return array.astype(np.int64)


def _continuations(number: IdRows, ending: IdRows, n_longer: int, n_shorter: int) -> IdRows:
    """Return Kneser-Ney's counts: after how many different tokens each of the shorter n-grams occurs.

    Args:
        number: (T,) the number of the longer n-gram that ends at each position.
        ending: (T,) the number of the shorter one that ends there: the longer one without its first token.
        n_longer, n_shorter: how many different ones there are.
    """
    ending_of = np.zeros(n_longer, dtype=np.int64)
    ending_of[number] = ending  # every longer n-gram counts once, however often it occurs
    return np.bincount(ending_of, minlength=n_shorter)
