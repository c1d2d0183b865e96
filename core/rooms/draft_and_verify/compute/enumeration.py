"""The exact distribution of speculative sampling, by enumerating every draft, acceptance and correction.

It is written independently of the sampler, from the rule as stated, so that each can be checked against the other.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from core.generate.decode import Draws
from core.rooms.draft_and_verify.compute.rule import Row, keep_chance, pick, rest_of, verify

Text = tuple[int, ...]
Chances = Callable[[Text], Row]  # a text so far -> (V,) the next token's probabilities


def alone(p: Chances, n: int) -> dict[Text, float]:
    """Return all texts of n tokens that the model generates, with their probabilities."""
    found: dict[Text, float] = {(): 1.0}
    for _ in range(n):
        found = {(*text, x): weight * px for text, weight in found.items() for x, px in _possible(p(text))}
    return found


def drafted(p: Chances, q: Chances, n: int, n_draft: int, rule: str = "paper") -> tuple[dict[Text, float], int]:
    """Return the same with a draft, and the number of ways that lead to these texts.

    Args:
        n_draft: guesses in a round; a round drafts at most as many as leave one token for the model.
    """
    found: defaultdict[Text, float] = defaultdict(float)
    n_way = 0

    def go(text: Text, n_guess: int, weight: float) -> None:
        """Follow a round with n_guess draft tokens left."""
        nonlocal n_way
        if len(text) == n:
            found[text] += weight
            n_way += 1
            return
        if n_guess == 0:
            for x, px in _possible(p(text)):
                begin((*text, x), weight * px)
            return
        rest = _possible(rest_of(p(text), q(text), rule))
        for x, qx in _possible(q(text)):
            keep = keep_chance(float(p(text)[x]), qx, rule)
            if keep > 0:
                go((*text, x), n_guess - 1, weight * qx * keep)
            if keep < 1:
                for y, share in rest:
                    begin((*text, y), weight * qx * (1 - keep) * share)

    def begin(text: Text, weight: float) -> None:
        go(text, min(n_draft, n - len(text) - 1), weight)

    begin((), 1.0)
    return dict(found), n_way


def draw_texts(
    p: Chances, q: Chances, n: int, n_draft: int, n_text: int, seed: int, rule: str = "paper"
) -> dict[Text, int]:
    """Sample texts, and return how often each came up."""
    draws = Draws([seed])
    counts: defaultdict[Text, int] = defaultdict(int)

    def draw() -> float:
        return float(draws.next())

    for _ in range(n_text):
        text: Text = ()
        while len(text) < n:
            guesses: Text = ()
            rows: list[NDArray[np.float64]] = []
            for _ in range(min(n_draft, n - len(text) - 1)):
                rows.append(q(text + guesses))
                guesses = (*guesses, pick(rows[-1], draw()))
            read = np.array([p(text + guesses[:i]) for i in range(len(guesses) + 1)])
            text += verify(guesses, read, np.array(rows).reshape(len(rows), read.shape[1]), draw, rule).tokens
        counts[text] += 1
    return dict(counts)


def largest_difference(one: Mapping[Text, float], other: Mapping[Text, float]) -> float:
    """Return the largest difference in the probability of a text."""
    return max(abs(one.get(text, 0.0) - other.get(text, 0.0)) for text in one.keys() | other.keys())


def total_variation(one: Mapping[Text, float], other: Mapping[Text, float]) -> float:
    """Return the total variation distance, which is half the sum of all differences."""
    return sum(abs(one.get(text, 0.0) - other.get(text, 0.0)) for text in one.keys() | other.keys()) / 2


def _possible(row: Row) -> list[tuple[int, float]]:
    return [(int(x), float(row[x])) for x in np.flatnonzero(row > 0)]
