"""Which token follows which, as tables: pairs, and triples that begin with one token; and where they stand."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.models.ngram import UNSEEN
from core.models.ngram_counts import Counts


@dataclass(frozen=True)
class Table:
    """How often each of N tokens follows each of them.

    Attributes:
        ids: (N,) the tokens, for rows (read first) and columns (what follows) alike.
        counts: (N, N) whole numbers.
        totals: (N,) the sum of each row over ALL tokens that follow, also those without a column.
    """

    ids: NDArray[np.int64]
    counts: NDArray[np.float64]
    totals: NDArray[np.float64]

    @property
    def others(self) -> NDArray[np.float64]:
        """(N,) what of each row's sum falls on tokens without a column."""
        return self.totals - self.counts.sum(1)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """(N, N) each count by the sum of its row: p(column | row), by maximum likelihood. nan in rows never seen."""
        with np.errstate(invalid="ignore"):
            return self.counts / self.totals[:, None]


@dataclass(frozen=True)
class Place:
    """Where an n-gram stands in a text.

    Attributes:
        position: of its first token.
        before, found, after: ids around it, and its own.
    """

    position: int
    before: tuple[int, ...]
    found: tuple[int, ...]
    after: tuple[int, ...]


def most_common(counts: Counts, n: int) -> NDArray[np.int64]:
    """The ids of the n most frequent tokens (all, where there are fewer), the most frequent first; ties by id."""
    level = counts.plain[0]  # whose keys are the ids
    order = np.argsort(-level.counts[:-1], kind="stable")[:n]
    return level.keys[:-1][order]


def table(counts: Counts, ids: NDArray[np.int64], first: int | None = None) -> Table:
    """Count what follows each token; with `first`, only where that token stands before.

    Args:
        counts: of at least order 2, or 3 with `first`.
        ids: (N,) the tokens to show.
        first: None for pairs; else the first token of triples (first, row, column).
    """
    pairs, longer = counts.plain[0].find(ids), counts.plain[1]  # a token's number is that of a context of one
    if first is not None:
        before = counts.plain[0].find(np.array([first]))
        pairs = longer.find(np.where(before == UNSEEN, UNSEEN, before * counts.vocab_size + ids))
        longer = counts.plain[2]
    keys = pairs[:, None] * counts.vocab_size + ids[None]  # (N, N); of an unseen context negative, so not found
    return Table(ids, longer.counts[longer.find(keys)], longer.total[pairs])


def places(ids: NDArray[np.int64], ngram: Sequence[int], *, around: int = 12, most: int = 5) -> tuple[int, list[Place]]:
    """How often an n-gram stands in a text, and its first few places.

    Args:
        ids: (T,) the text.
        ngram: one token or more.
        around: how many tokens of the text to give before and after.
        most: how many places.
    """
    n, width = len(ids), len(ngram)
    here = np.ones(max(0, n - width + 1), dtype=bool)
    for offset, token in enumerate(ngram):
        here &= ids[offset : offset + len(here)] == token
    found = np.flatnonzero(here)
    cut = [
        Place(
            position=int(at),
            before=tuple(ids[max(0, at - around) : at].tolist()),
            found=tuple(int(token) for token in ngram),
            after=tuple(ids[at + width : at + width + around].tolist()),
        )
        for at in found[:most]
    ]
    return len(found), cut
