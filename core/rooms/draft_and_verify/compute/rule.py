"""The acceptance rule of speculative sampling: a drafted token x is accepted with probability min(1, p(x)/q(x)).

The draft sampled it from q. If it is rejected, its replacement is sampled from the residual distribution: max(p - q,
0), normalized to sum to 1. Every token then has exactly the probability p(x) that it has without a draft:

    q(x) min(1, p(x)/q(x)) + P(rejected) residual(x) = min(p, q) + (p - min(p, q)) = p(x)

Broken rules are included for comparison, to show that every part of the rule is needed.

Source: Leviathan, Kalman and Matias 2022 (2211.17192), algorithm 1 and appendix A.1; Chen et al. 2023 (2302.01318).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

TokenDistribution = Float[NDArray[np.float64], " V"]
TokenDistributions = Float[NDArray[np.float64], "n V"]

RULES: Mapping[str, str] = {
    "paper": LABELS["rule.paper"],
    "always": LABELS["rule.always"],
    "never": LABELS["rule.never"],
    "whole": LABELS["rule.whole"],
}
ACCEPTED, REFUSED, UNREAD = "accepted", "refused", "unread"


@dataclass(frozen=True)
class DraftGuess:
    """A drafted token."""

    token: int  # its id
    p: float  # p, q: its probability under the model, and under the draft that sampled it
    q: float
    ratio: float  # the probability that it is accepted
    # a uniform random number in 0..1; the token is accepted if it is below the ratio. None: a token before it was
    # rejected, so none was drawn.
    u: float | None
    outcome: str  # `ACCEPTED`, `REFUSED` or `UNREAD`


@dataclass(frozen=True, eq=False)
class DraftRound:
    """One pass of the model: the drafted tokens, the accepted ones, and the token sampled at the end."""

    guesses: tuple[DraftGuess, ...]  # in order; may be empty
    # (n_read, V) the model's probabilities at the n guesses and after the last one: n_read = n + 1
    p: Float[NDArray[np.float64], "n_read V"]
    q: TokenDistributions  # (n, V) the draft's probabilities
    last: int  # the token sampled at the end, instead of the rejected guess or after all of them
    source: TokenDistribution  # (V,) the distribution that it was sampled from
    u: float  # the random number that selected it

    @property
    def n_accepted(self) -> int:
        return sum(guess.outcome == ACCEPTED for guess in self.guesses)

    @property
    def is_corrected(self) -> bool:
        """True if the last token replaces a rejected guess."""
        return self.n_accepted < len(self.guesses)

    @property
    def tokens(self) -> tuple[int, ...]:
        """The tokens that the round adds to the text."""
        return *(guess.token for guess in self.guesses[: self.n_accepted]), self.last


def acceptance_probability(p: float, q: float, rule: str = "paper") -> float:
    """Return the acceptance probability of a token with these probabilities under model and draft (q > 0)."""
    if rule == "always":
        return 1.0
    if rule == "never":
        return float(p >= q)
    return min(1.0, p / q)


def residual_distribution(p: TokenDistribution, q: TokenDistribution, rule: str = "paper") -> TokenDistribution:
    """Return the residual distribution that a correction is sampled from: max(p - q, 0), normalized to sum to 1.

    If p and q are equal the residual is zero and, except for rounding, nothing is ever rejected; then it is p.
    """
    rest = np.maximum(p - q, 0.0)
    total = float(rest.sum())
    return p if rule == "whole" or total <= 0 else rest / total


def acceptance_rate(
    p: Float[NDArray[np.float64], "*n V"], q: Float[NDArray[np.float64], "*n V"]
) -> NDArray[np.float64]:
    """Return the overall acceptance probability: the sum of min(p, q), or 1 minus the total variation distance.

    Source: Leviathan, Kalman and Matias 2022, theorem 3.5.
    """
    both: NDArray[np.float64] = np.minimum(p, q).sum(-1)
    return both


def select_token(probabilities: TokenDistribution, u: float) -> int:
    """Return the token that a uniform number selects, as `core.generate.decode.inverse_cdf` does."""
    cumulative = probabilities.cumsum()
    token = int(np.searchsorted(cumulative, u * cumulative[-1], side="right"))
    return min(token, int(np.searchsorted(cumulative, cumulative[-1])))  # the last token with a probability


def verify_draft(
    drafted: Sequence[int],
    p: Float[NDArray[np.float64], "n_read V"],
    q: TokenDistributions,
    draw: Callable[[], float],
    rule: str = "paper",
) -> DraftRound:
    """Accept the drafted tokens up to the first rejected one, and sample one more.

    Args:
        drafted: n tokens, each sampled from its row of q.
        p: (n_read, V) the model's probabilities where each was drafted, and after the last one: n_read = n + 1.
        q: (n, V) the draft's probabilities.
        draw: returns the next uniform number.
        rule: one of `RULES`.
    """
    ratios = [acceptance_probability(float(a[x]), float(b[x]), rule) for x, a, b in zip(drafted, p, q, strict=False)]
    draws: list[float | None] = []
    n = 0  # accepted tokens
    while n < len(drafted):
        draws.append(u := draw())
        if u >= ratios[n]:
            break
        n += 1
    outcomes = [ACCEPTED] * n + [REFUSED] * (n < len(drafted)) + [UNREAD] * (len(drafted) - n - 1)
    draws += [None] * (len(drafted) - len(draws))
    guesses = tuple(
        DraftGuess(x, float(p[i, x]), float(q[i, x]), ratios[i], draws[i], outcomes[i]) for i, x in enumerate(drafted)
    )
    source = p[n] if n == len(drafted) else residual_distribution(p[n], q[n], rule)
    u = draw()
    return DraftRound(guesses, p, q, select_token(source, u), source, u)
