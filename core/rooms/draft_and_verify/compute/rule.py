"""The rule of speculative sampling, which keeps a drafted token x with the chance min(1, p(x)/q(x)).

The draft drew it from q. Where it does not stay, what comes in its place is drawn from the rest, what the model gives
each token beyond the draft: max(p - q, 0), made to sum to 1. Then every token comes with the very probability p(x) that
the model alone gives it:

    q(x) min(1, p(x)/q(x)) + P(refused) rest(x) = min(p, q) + (p - min(p, q)) = p(x)

Broken rules stand beside it, for whoever wonders whether all of it is needed.

Source: Leviathan, Kalman and Matias 2022 (2211.17192), algorithm 1 and appendix A.1; Chen et al. 2023 (2302.01318).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

Row = Float[NDArray[np.float64], " V"]
Rows = Float[NDArray[np.float64], "n V"]

RULES: Mapping[str, str] = {
    "paper": "as in the paper",
    "always": "keep every guess",
    "never": "keep only what the model finds at least as likely",
    "whole": "draw the correction from the whole model",
}
ACCEPTED, REFUSED, UNREAD = "accepted", "refused", "unread"


@dataclass(frozen=True)
class Guess:
    """A drafted token."""

    token: int  # its id
    p: float  # p, q: its probability under the model, and under the draft that it was drawn from
    q: float
    ratio: float  # the chance that it stays
    # the number drawn, uniform within 0..1; it stays where that is below the ratio. None: a token before it was
    # refused, so nothing was drawn.
    u: float | None
    outcome: str  # `ACCEPTED`, `REFUSED` or `UNREAD`


@dataclass(frozen=True, eq=False)
class Round:
    """One pass of the model: what was drafted, what stayed, and the one token that was drawn at the end."""

    guesses: tuple[Guess, ...]  # in their order; maybe none
    # (n_read, V) the model's probabilities at the n guesses and behind the last one: n_read = n + 1
    p: Float[NDArray[np.float64], "n_read V"]
    q: Rows  # (n, V) the draft's
    last: int  # the token drawn at the end, instead of the refused guess or after all of them
    source: Row  # (V,) what it was drawn from
    u: float  # the number drawn for it

    @property
    def n_accepted(self) -> int:
        return sum(guess.outcome == ACCEPTED for guess in self.guesses)

    @property
    def is_corrected(self) -> bool:
        """Whether the last token stands in the place of a refused guess."""
        return self.n_accepted < len(self.guesses)

    @property
    def tokens(self) -> tuple[int, ...]:
        """What the round has settled."""
        return *(guess.token for guess in self.guesses[: self.n_accepted]), self.last


def keep_chance(p: float, q: float, rule: str = "paper") -> float:
    """The chance that a drafted token stays, of its probabilities under the model and under the draft (q > 0)."""
    if rule == "always":
        return 1.0
    if rule == "never":
        return float(p >= q)
    return min(1.0, p / q)


def rest_of(p: Row, q: Row, rule: str = "paper") -> Row:
    """What a correction is drawn from: what the model gives beyond the draft, made to sum to 1.

    Where the two agree there is no rest, and but for rounding nothing is ever refused: then it is p.
    """
    rest = np.maximum(p - q, 0.0)
    total = float(rest.sum())
    return p if rule == "whole" or total <= 0 else rest / total


def acceptance(p: Float[NDArray[np.float64], "*n V"], q: Float[NDArray[np.float64], "*n V"]) -> NDArray[np.float64]:
    """The chance that a guess stays, whatever is guessed: the sum of min(p, q), 1 less the total variation distance.

    Source: Leviathan, Kalman and Matias 2022, theorem 3.5.
    """
    both: NDArray[np.float64] = np.minimum(p, q).sum(-1)
    return both


def pick(probabilities: Row, u: float) -> int:
    """The token on which a uniform number falls, as `core.generate.decode.inverse_cdf` finds it."""
    cumulative = probabilities.cumsum()
    token = int(np.searchsorted(cumulative, u * cumulative[-1], side="right"))
    return min(token, int(np.searchsorted(cumulative, cumulative[-1])))  # never past the last that has a width


def verify(
    drafted: Sequence[int],
    p: Float[NDArray[np.float64], "n_read V"],
    q: Rows,
    draw: Callable[[], float],
    rule: str = "paper",
) -> Round:
    """Keep the drafted tokens up to the first that is refused, and draw one more.

    Args:
        drafted: n tokens, each drawn from its row of q.
        p: (n_read, V) the model's probabilities where each was drafted, and behind the last one: n_read = n + 1.
        q: (n, V) the draft's.
        draw: the next uniform number.
        rule: of `RULES`.
    """
    ratios = [keep_chance(float(a[x]), float(b[x]), rule) for x, a, b in zip(drafted, p, q, strict=False)]
    draws: list[float | None] = []
    n = 0  # that stay
    while n < len(drafted):
        draws.append(u := draw())
        if u >= ratios[n]:
            break
        n += 1
    outcomes = [ACCEPTED] * n + [REFUSED] * (n < len(drafted)) + [UNREAD] * (len(drafted) - n - 1)
    draws += [None] * (len(drafted) - len(draws))
    guesses = tuple(
        Guess(x, float(p[i, x]), float(q[i, x]), ratios[i], draws[i], outcomes[i]) for i, x in enumerate(drafted)
    )
    source = p[n] if n == len(drafted) else rest_of(p[n], q[n], rule)
    u = draw()
    return Round(guesses, p, q, pick(source, u), source, u)
