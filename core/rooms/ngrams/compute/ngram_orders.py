"""Counting further and further back: how good n-gram models of each order are, what they write, what they copy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.generate.decode import Draws, inverse_cdf
from core.models.ngram import NGram, Smoothing
from core.rooms.ngrams.compute.counting import Counts


@dataclass(frozen=True)
class Losses:
    """Mean surprise of the orders 1 to O, in nats per token; infinite where a token was impossible."""

    train: NDArray[np.float64]  # train, val: (O,) on the text that was counted, and on one that was not
    val: NDArray[np.float64]


@dataclass(frozen=True)
class Copied:
    """The longest piece of a new text that stands in the training text, word for word."""

    start: int  # its place in the new text
    length: int  # in tokens
    place: int  # where it stands first in the training text; -1 if nothing was found


@dataclass(frozen=True)
class Sample:
    """What a model wrote."""

    order: int  # of the model
    ids: tuple[int, ...]  # the new tokens, the beginning that it was given left out
    p: tuple[float, ...]  # the probability each had when it was drawn
    ended: bool  # whether it came to an end before its time, because nothing ever followed its last tokens
    copied: Copied  # the longest piece of `ids` that stands in the training text


def losses(
    counts: Counts, smoothing: Smoothing, train: NDArray[np.int64], val: NDArray[np.int64], **options: float
) -> Losses:
    """The cross-entropy of the orders 1 to O on the text that was counted and on another; perplexity is its exp."""
    return Losses(*(_mean_surprise(counts, smoothing, ids, options) for ids in (train, val)))


def _mean_surprise(
    counts: Counts, smoothing: Smoothing, ids: NDArray[np.int64], options: dict[str, float]
) -> NDArray[np.float64]:
    """(O,) nats per token."""
    n_order = len(counts.plain)
    if smoothing == "kneser_ney":  # whose lower levels are counted in another way than the highest one
        models = [counts.model(order, smoothing, **options) for order in range(1, n_order + 1)]
        return np.array([-float(model.log_probs(ids).mean()) for model in models])
    levels = counts.model(n_order, smoothing, **options).evidence(ids)  # level n is the model of order n + 1
    with np.errstate(divide="ignore"):
        return np.array([-float(np.log(level.p).mean()) for level in levels])


def never_seen(counts: Counts, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """(O,) for each length the share of a text's n-grams that the counted text does not have; nan if it has none."""
    model = counts.model(len(counts.plain), "mle")
    shares = []
    for n, level in enumerate(model.evidence(ids)):
        here = level.counts[n:]
        shares.append(float((here == 0).mean()) if len(here) else np.nan)
    return np.array(shares)


def beginning(train: NDArray[np.int64], newlines: NDArray[np.int64], length: int, seed: int) -> list[int]:
    """The first tokens of a random line of the training text; where no token ends a line, any place is a beginning."""
    last = len(train) - length
    starts = np.flatnonzero(np.isin(train[:last], newlines)) + 1
    starts = np.append(starts, 0) if len(starts) else np.arange(max(1, last))
    at = int(np.random.default_rng(seed).choice(starts))
    return train[at : at + length].tolist()


def sample(model: NGram, prompt: Sequence[int], n_token: int, seed: int, train: NDArray[np.int64]) -> Sample:
    """Let a model write on.

    Where nothing ever followed the last tokens, a model without smoothing gives every token the probability 0: then
    it stops.

    Args:
        prompt: at least one token.
        n_token: how many to draw at most.
        seed: of the draws: models of different orders given one seed meet the same random numbers.
        train: the text that the model was fitted on, to look for copies.
    """
    ids: list[int] = []
    p: list[float] = []
    draws = Draws([seed])
    while len(ids) < n_token:
        probabilities = model.probabilities([*prompt, *ids])
        if not probabilities.any():
            break
        ids.append(int(inverse_cdf(probabilities[None], draws.next())))
        p.append(float(probabilities[ids[-1]]))
    return Sample(model.order, tuple(ids), tuple(p), len(ids) < n_token, longest_copy(ids, train))


def longest_copy(ids: Sequence[int], train: NDArray[np.int64]) -> Copied:
    """The longest run of a new text that stands in the training text; the first of equals."""
    letters, text = _letters(np.asarray(ids, dtype=np.int64)), _letters(train)
    best = Copied(0, 0, -1)
    for start in range(len(letters)):
        while start + best.length < len(letters):
            place = text.find(letters[start : start + best.length + 1])
            if place < 0:
                break
            best = Copied(start, best.length + 1, place)
    return best


def _letters(ids: NDArray[np.int64]) -> str:
    """One letter for each id, so that pieces are found fast; the surrogates, which are none, are left out."""
    codes = np.where(ids < 0xD800, ids, ids + 0x800).astype("<u4")
    return codes.tobytes().decode("utf-32-le")
