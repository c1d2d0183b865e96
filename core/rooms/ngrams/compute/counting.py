"""N-gram counts of a text, shared by all orders and smoothings; tables of which token follows which; occurrences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.exhibit import Result
from core.models.ngram import UNSEEN, Ids, NGram, NGramOrderCounts as Level, Smoothing


@dataclass(frozen=True)
class NGramCounts:
    """All n-grams of a text up to an order.

    A model of order n needs the n-grams of lengths 1 to n, so the counts for order 6 contain those for all lower
    orders.
    Only Kneser-Ney counts its lower levels differently, while its highest level has plain counts.
    """

    plain: tuple[Level, ...]  # one level per length: how often each n-gram occurs
    continuations: tuple[Level, ...]  # the number of different tokens before each n-gram; the longest as in `plain`
    vocab_size: int  # V

    @staticmethod
    def of(ids: Ids, vocab_size: int, max_order: int = 6) -> "NGramCounts":
        """Count the n-grams of a text. Raises ValueError as `NGram.fit` does."""
        plain = NGram(max_order, vocab_size, "mle").fit(ids)
        kneser_ney = NGram(max_order, vocab_size, "kneser_ney").fit(ids)
        return NGramCounts(tuple(plain.levels), tuple(kneser_ney.levels), vocab_size)

    def model(self, order: int, smoothing: Smoothing, **options: float) -> NGram:
        """Return the same as `NGram(order, vocab_size, smoothing, **options).fit(ids)`, without counting again.

        Raises:
            ValueError: if the order is larger than the counts allow, or `NGram` refuses it.
        """
        if order > len(self.plain):
            raise ValueError(f"order={order}: only n-grams of up to {len(self.plain)} tokens were counted")
        model = NGram(order, self.vocab_size, smoothing, **options)
        below = self.continuations if smoothing == "kneser_ney" else self.plain
        model.levels = [*below[: order - 1], self.plain[order - 1]]
        return model


class CountTable(Result):
    """Counts of how often each of C tokens follows each of R tokens, perhaps only after one given token."""

    rows: NDArray[np.int64]  # (R,) ids of the tokens read first
    columns: NDArray[np.int64]  # (C,) ids of the tokens that follow
    counts: NDArray[np.float64]  # (R, C) whole numbers
    totals: NDArray[np.float64]  # (R,) the sum of each row over ALL following tokens, including those without a column
    others: NDArray[np.float64]  # (R,) the part of each row's sum that belongs to tokens without a column
    probabilities: NDArray[np.float64]  # (R, C) p(column | row), by maximum likelihood; nan in rows never seen


class Occurrence(NamedTuple):
    """One occurrence of an n-gram in a text."""

    position: int  # of its first token
    before: tuple[object, ...]  # tokens before it: ids, or names
    found: tuple[Any, ...]  # its own tokens
    after: tuple[object, ...]


def most_common_tokens(counts: NGramCounts, n: int) -> NDArray[np.int64]:
    """Return the ids of the n most frequent tokens (all, if there are fewer), most frequent first; ties by id."""
    level = counts.plain[0]  # its keys are the ids
    return _largest(level.keys[:-1], level.counts[:-1], n)


def count_bigrams(counts: NGramCounts, n: int, left_out: Sequence[int] = ()) -> CountTable:
    """Count pairs: the n most frequent tokens, and the n tokens that most often follow them; without those left out."""
    rows = most_common_tokens(counts, n + len(left_out))
    rows = rows[~np.isin(rows, left_out)][:n]
    numbers = counts.plain[0].find(rows)
    return _count(counts, 1, numbers, rows, _followers(counts, 1, numbers, n, left_out))


def count_trigrams(counts: NGramCounts, first: int, n: int) -> CountTable:
    """Count one slice of all triples, those that begin with `first`: n tokens after it, and the tokens after those.

    Rows are the tokens that most often follow `first`, columns those that most often follow these rows.
    """
    V = counts.vocab_size
    before = int(counts.plain[0].find(np.array([first]))[0])
    level = counts.plain[1]
    here = slice(*np.searchsorted(level.keys[:-1], [before * V, (before + 1) * V])) if before != UNSEEN else slice(0, 0)
    rows = _largest(level.keys[here] % V, level.counts[here], n)
    numbers = level.find(before * V + rows)
    return _count(counts, 2, numbers, rows, _followers(counts, 2, numbers, n))


def _largest(ids: NDArray[np.int64], by: NDArray[Any], n: int) -> NDArray[np.int64]:
    """Return the n ids with the largest numbers, largest first; ties in the order given."""
    return ids[np.argsort(-by, kind="stable")[:n]]


def _followers(
    counts: NGramCounts, level: int, contexts: NDArray[np.int64], n: int, left_out: Sequence[int] = ()
) -> NDArray[np.int64]:
    """Return the n tokens that most often follow these contexts, taken together; ties by id."""
    V, longer = counts.vocab_size, counts.plain[level]
    keys, is_here = longer.keys[:-1], np.isin(longer.keys[:-1] // counts.vocab_size, contexts)
    follows = np.bincount(keys[is_here] % V, weights=longer.counts[:-1][is_here], minlength=V)
    follows[list(left_out)] = 0
    return _largest(np.flatnonzero(follows), follows[follows > 0], n)


def _count(
    counts: NGramCounts, level: int, contexts: NDArray[np.int64], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> CountTable:
    """Look up the n-grams of a level: each context, followed by each column."""
    at = counts.plain[level]
    keys = contexts[:, None] * counts.vocab_size + columns[None]  # negative for an unseen context, so not found
    found, totals = at.counts[at.find(keys)], at.total[contexts]
    with np.errstate(invalid="ignore"):
        probabilities = found / totals[:, None]
    return CountTable(
        rows=rows,
        columns=columns,
        counts=found,
        totals=totals,
        others=totals - found.sum(1),
        probabilities=probabilities,
    )


def find_occurrences(
    ids: NDArray[np.int64], ngram: Sequence[int], *, around: int = 12, most: int = 5
) -> tuple[int, list[Occurrence]]:
    """Return how often an n-gram occurs in a text, and its first few occurrences."""
    n, width = len(ids), len(ngram)
    here = np.ones(max(0, n - width + 1), dtype=bool)
    for offset, token in enumerate(ngram):
        here &= ids[offset : offset + len(here)] == token
    found = np.flatnonzero(here)
    cut = [
        Occurrence(
            position=int(at),
            before=tuple(ids[max(0, at - around) : at].tolist()),
            found=tuple(int(token) for token in ngram),
            after=tuple(ids[at + width : at + width + around].tolist()),
        )
        for at in found[:most]
    ]
    return len(found), cut
