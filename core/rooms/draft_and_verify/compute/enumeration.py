"""The exact distribution of speculative sampling, by enumerating every draft, acceptance and correction.

It is written independently of the sampler, from the rule as stated, so that each can be checked against the other.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from core.generate.decode import UniformDraws
from core.rooms.draft_and_verify.compute.rule import (
    TokenDistribution,
    acceptance_probability,
    residual_distribution,
    select_token,
    verify_draft,
)

TokenIds = tuple[int, ...]
NextProbabilities = Callable[[TokenIds], TokenDistribution]  # a text so far -> (V,) the next token's probabilities


def text_probabilities(p: NextProbabilities, n: int) -> dict[TokenIds, float]:
    """Return all texts of n tokens that the model generates, with their probabilities."""
    found: dict[TokenIds, float] = {(): 1.0}
    for _ in range(n):
        found = {(*text, x): weight * px for text, weight in found.items() for x, px in _possible(p(text))}
    return found


def speculative_probabilities(
    p: NextProbabilities, q: NextProbabilities, n: int, n_draft: int, rule: str = "paper"
) -> tuple[dict[TokenIds, float], int]:
    """Return the same with a draft, and the number of ways that lead to these texts.

    Args:
        n_draft: guesses in a round; a round drafts at most as many as leave one token for the model.
    """
    found: defaultdict[TokenIds, float] = defaultdict(float)
    n_way = 0

    def go(text: TokenIds, n_guess: int, weight: float) -> None:
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
        rest = _possible(residual_distribution(p(text), q(text), rule))
        for x, qx in _possible(q(text)):
            keep = acceptance_probability(float(p(text)[x]), qx, rule)
            if keep > 0:
                go((*text, x), n_guess - 1, weight * qx * keep)
            if keep < 1:
                for y, share in rest:
                    begin((*text, y), weight * qx * (1 - keep) * share)

    def begin(text: TokenIds, weight: float) -> None:
        go(text, min(n_draft, n - len(text) - 1), weight)

    begin((), 1.0)
    return dict(found), n_way


def sample_speculative_texts(
    p: NextProbabilities, q: NextProbabilities, n: int, n_draft: int, n_text: int, seed: int, rule: str = "paper"
) -> dict[TokenIds, int]:
    """Sample texts, and return how often each came up."""
    draws = UniformDraws([seed])
    counts: defaultdict[TokenIds, int] = defaultdict(int)

    def draw() -> float:
        return float(draws.next())

    for _ in range(n_text):
        text: TokenIds = ()
        while len(text) < n:
            guesses: TokenIds = ()
            rows: list[NDArray[np.float64]] = []
            for _ in range(min(n_draft, n - len(text) - 1)):
                rows.append(q(text + guesses))
                guesses = (*guesses, select_token(rows[-1], draw()))
            read = np.array([p(text + guesses[:i]) for i in range(len(guesses) + 1)])
            text += verify_draft(guesses, read, np.array(rows).reshape(len(rows), read.shape[1]), draw, rule).tokens
        counts[text] += 1
    return dict(counts)


def largest_difference(one: Mapping[TokenIds, float], other: Mapping[TokenIds, float]) -> float:
    """Return the largest difference in the probability of a text."""
    return max(abs(one.get(text, 0.0) - other.get(text, 0.0)) for text in one.keys() | other.keys())


def text_total_variation(one: Mapping[TokenIds, float], other: Mapping[TokenIds, float]) -> float:
    """Return the total variation distance, which is half the sum of all differences."""
    return sum(abs(one.get(text, 0.0) - other.get(text, 0.0)) for text in one.keys() | other.keys()) / 2


def _possible(row: TokenDistribution) -> list[tuple[int, float]]:
    return [(int(x), float(row[x])) for x in np.flatnonzero(row > 0)]
