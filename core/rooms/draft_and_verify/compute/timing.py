"""How long a text takes with a draft and without one, measured here, and what the formula expects.

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
from core.generate.settings import Settings
from core.rooms.draft_and_verify.compute.rule import UNREAD, acceptance
from core.rooms.draft_and_verify.compute.sampling import Drafter, speculate

T = TypeVar("T")

N_TIMES = 2  # each is measured; the fastest counts, for another program may have held up the others


@dataclass(frozen=True)
class Cost:
    """What a text cost with so many guesses in a round; 0: the model wrote alone."""

    n_draft: int  # guesses in a round
    seconds: float  # for a token, of the whole
    per_pass: float  # tokens that a pass of the large model settled
    pass_seconds: float  # of one pass of the large model
    guess_seconds: float  # of one guess of the draft; nan without one


class _Clocked:
    """A model or draft that counts the seconds of its answers."""

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


def measure(
    model: nn.Module, draft: Drafter, ids: Sequence[int], n_new: int, n_drafts: Sequence[int], seed: int
) -> tuple[tuple[Cost, ...], float]:
    """The costs of each number of guesses, and the mean chance that a guess stays, of all that were looked at."""
    best: dict[int, Cost] = {}
    chances: list[float] = []
    list(speculate(CachedModel(model), draft, ids, 8, n_draft=2, settings=Settings(), seed=seed))  # warm
    for turn in range(N_TIMES):  # one after the other, so that what else goes on holds up all of them alike
        for n_draft in n_drafts:
            large, small = _Clocked(CachedModel(model)), _Clocked(draft)
            how = {"n_draft": n_draft, "settings": Settings(), "seed": seed}
            started = time.perf_counter()
            rounds = list(speculate(large, small, ids, n_new, **how))  # type: ignore[arg-type]
            took = (time.perf_counter() - started) / n_new
            if n_draft not in best or took < best[n_draft].seconds:
                a_guess = small.seconds / small.n if small.n else np.nan
                best[n_draft] = Cost(n_draft, took, n_new / len(rounds), large.seconds / large.n, a_guess)
            if turn == 0:
                chances += [
                    float(acceptance(one.p[i], one.q[i]))
                    for one in rounds
                    for i, guess in enumerate(one.guesses)
                    if guess.outcome != UNREAD
                ]
    return tuple(best[n] for n in n_drafts), float(np.mean(chances))


def expected_tokens(alpha: float, n_draft: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """Tokens that a pass settles, where each guess stays with the chance alpha, whatever came before (equation 1)."""
    k = np.asarray(n_draft, dtype=np.float64)
    return k + 1 if alpha >= 1 else (1 - alpha ** (k + 1)) / (1 - alpha)


def speed_up(alpha: float, cost: NDArray[np.float64] | float, n_draft: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """How many times as fast: a guess takes `cost` of a pass, and a pass takes the same however much it reads.

    Source: as above, theorem 3.8.
    """
    return np.asarray(expected_tokens(alpha, n_draft) / (np.asarray(n_draft) * np.asarray(cost) + 1))
