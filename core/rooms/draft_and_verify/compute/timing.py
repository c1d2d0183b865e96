"""The time of a text with and without a draft, measured on this machine, and the speed predicted by the formula.

Source: Leviathan, Kalman and Matias 2022 (2211.17192), section 3.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.generate.cache import CachedModel
from core.generate.filter_settings import FilterSettings
from core.rooms.draft_and_verify.compute.rule import UNREAD, acceptance_rate
from core.rooms.draft_and_verify.compute.sampling import Drafter, speculative_rounds

T = TypeVar("T")

N_TIMES = 2  # repeats of each measurement; the fastest counts, because other programs may have slowed the rest


@dataclass(frozen=True)
class DraftCost:
    """The cost of a text with n_draft guesses in a round; 0: the model ran alone."""

    n_draft: int  # guesses in a round
    seconds: float  # per token, of the total
    per_pass: float  # tokens per pass of the large model
    pass_seconds: float  # for one pass of the large model
    guess_seconds: float  # for one guess of the draft; nan without a draft


class _Clocked:
    """A model or draft that measures the time of its calls."""

    def __init__(self, asked: Any):
        self.asked, self.seconds, self.n = asked, 0.0, 0
        self.context_length = getattr(asked, "context_length", None)

    def next_logits(self, text: Sequence[int]) -> Float[Tensor, " V"]:
        return self._clocked(self.asked.next_logits, text)

    def last_logits(self, text: Sequence[int], n_last: int) -> Float[Tensor, "n_last V"]:
        return self._clocked(self.asked.last_logits, text, n_last)

    def _clocked(self, ask: Callable[..., T], *given: object) -> T:
        started = time.perf_counter()
        found = ask(*given)
        self.seconds += time.perf_counter() - started
        self.n += 1
        return found


def measure_costs(
    model: nn.Module, draft: Drafter, ids: Sequence[int], n_new: int, n_drafts: Sequence[int], seed: int
) -> tuple[tuple[DraftCost, ...], float]:
    """Measure the cost for each number of guesses, and the mean acceptance probability.

    The mean is over all guesses that were verified.
    """
    best: dict[int, DraftCost] = {}
    chances: list[float] = []
    list(speculative_rounds(CachedModel(model), draft, ids, 8, n_draft=2, settings=FilterSettings(), seed=seed))  # warm
    for turn in range(N_TIMES):  # interleaved, so that other load slows all of them equally
        for n_draft in n_drafts:
            large, small = _Clocked(CachedModel(model)), _Clocked(draft)
            how = {"n_draft": n_draft, "settings": FilterSettings(), "seed": seed}
            started = time.perf_counter()
            rounds = list(speculative_rounds(large, small, ids, n_new, **how))  # type: ignore[arg-type]
            took = (time.perf_counter() - started) / n_new
            if n_draft not in best or took < best[n_draft].seconds:
                a_guess = small.seconds / small.n if small.n else np.nan
                best[n_draft] = DraftCost(n_draft, took, n_new / len(rounds), large.seconds / large.n, a_guess)
            if turn == 0:
                chances += [
                    float(acceptance_rate(one.p[i], one.q[i]))
                    for one in rounds
                    for i, guess in enumerate(one.guesses)
                    if guess.outcome != UNREAD
                ]
    return tuple(best[n] for n in n_drafts), float(np.mean(chances))


def expected_tokens(alpha: float, n_draft: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """Return the expected tokens per pass if each guess is accepted with probability alpha, independently (eq. 1)."""
    k = np.asarray(n_draft, dtype=np.float64)
    return k + 1 if alpha >= 1 else (1 - alpha ** (k + 1)) / (1 - alpha)


def expected_speedup(
    alpha: float, cost: NDArray[np.float64] | float, n_draft: NDArray[np.int64] | int
) -> NDArray[np.float64]:
    """Return the speedup if a guess costs `cost` passes, and a pass takes the same time for any number of tokens.

    Source: as above, theorem 3.8.
    """
    return np.asarray(expected_tokens(alpha, n_draft) / (np.asarray(n_draft) * np.asarray(cost) + 1))
