"""Two ways to choose the B texts that a beam search follows: from the B best of each, or from all B x V."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

END = 0  # the end token's id in these cases


@dataclass(frozen=True)
class Cases:
    """What stands before the choice, for n cases."""

    totals: Float[NDArray[np.float64], "n B"]  # (n, B) log-probabilities of the texts kept so far, nats, best first
    log_probs: Float[NDArray[np.float64], "n B V"]  # (n, B, V) of each next token

    @property
    def sums(self) -> Float[NDArray[np.float64], "n B V"]:
        """Log-probability of each text made one token longer."""
        return self.totals[:, :, None] + self.log_probs


def random_cases(n: int, n_beam: int, n_token: int, seed: int, spread: float = 1.0, gap: float = 1.0) -> Cases:
    """Random next-token distributions after random texts.

    Args:
        spread: standard deviation of the logits: the larger, the surer the model.
        gap: how far the texts' log-probabilities lie below 0, on average, nats.
    """
    generator = np.random.default_rng(seed)
    logits = generator.normal(0, spread, (n, n_beam, n_token))
    shifted = logits - logits.max(-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    totals = -np.sort(generator.exponential(gap, (n, n_beam)), -1)
    return Cases(totals, log_probs)


def shortlist(cases: Cases) -> Bool[NDArray[np.bool_], "n B V"]:
    """The B x B candidates of the lecture note: from each text its B best next tokens."""
    n_beam = cases.totals.shape[1]
    return _best(cases.log_probs, min(n_beam, cases.log_probs.shape[2]))


def go_on(
    cases: Cases, allowed: Bool[NDArray[np.bool_], "n B V"] | None, ends: bool
) -> Bool[NDArray[np.bool_], "n B V"]:
    """The B candidates that go on: the best that do not end.

    Args:
        allowed: the candidates that are looked at; None: all B x V.
        ends: whether token END ends a text; if not, it is a token like any other.
    """
    sums = cases.sums if allowed is None else np.where(allowed, cases.sums, -np.inf)
    if ends:
        sums = sums.copy()
        sums[:, :, END] = -np.inf
    flat = sums.reshape(len(sums), -1)
    return (_best(flat, cases.totals.shape[1]) & (flat > -np.inf)).reshape(sums.shape)


def differs(cases: Cases, ends: bool) -> Bool[NDArray[np.bool_], " n"]:
    """In which cases the shortlist lets other texts go on than the right choice does."""
    return (go_on(cases, shortlist(cases), ends) != go_on(cases, None, ends)).any((1, 2))


def shares(n_case: int, most_beams: int, n_token: int, seed: int) -> Float[NDArray[np.float64], "B 2"]:
    """In what share of random cases the shortlist goes wrong: by B from 1 on, without and with an end token."""
    every = [random_cases(n_case, n_beam, n_token, seed) for n_beam in range(1, most_beams + 1)]
    return np.array([[differs(one, ends).mean() for ends in (False, True)] for one in every])


def _best(values: Float[NDArray[np.float64], "... V"], k: int) -> Bool[NDArray[np.bool_], "... V"]:
    """The k largest of each row; among equals the lower place."""
    order = np.argsort(-values, axis=-1, kind="stable")[..., :k]
    chosen = np.zeros(values.shape, dtype=bool)
    np.put_along_axis(chosen, order, True, -1)
    return chosen
