"""The B x B shortlist of a lecture note beside all B x V candidates: the same, until a token can end a text."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs as Base, Result, Table, seed, slider, toggle

N_CASE = 2_000
MOST_BEAMS = 6
TOKENS = ("end", "a", "b", "c", "d", "e", "f", "g")
TEXTS = ("1st", "2nd", "3rd", "4th", "5th", "6th")  # the best first
END = 0  # the end token's id in these cases


class Cases(NamedTuple):
    """n states of a beam search before the choice of the next texts."""

    totals: Float[NDArray[np.float64], "n B"]  # log-probabilities of the texts kept so far, nats, best first
    log_probs: Float[NDArray[np.float64], "n B V"]  # of each next token

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


CODE = (shortlist, go_on, differs, random_cases)


class Inputs(Base, prefix="short_"):
    n_beam: int = slider("Beams (texts kept at once)", 1, MOST_BEAMS, 3, name="short_b")
    seed: int = seed()
    ends: bool = toggle("“end” ends a text", True)


class Comparison(Result):
    """One case, and in how many of all the shortlist goes wrong."""

    sums: NDArray[np.float64]  # (B, V) of the case that is shown
    listed: NDArray[np.bool_]  # (B, V) its B x B shortlist
    short: NDArray[np.bool_]  # (B, V) candidates that go on, by the shortlist
    right: NDArray[np.bool_]  # (B, V) candidates that go on, by all of them
    missed: NDArray[np.bool_]  # (B, V) candidates that should go on, and aren't on the shortlist
    instead: NDArray[np.bool_]  # (B, V) candidates that go on in their place
    number: int  # of the case
    n_case: int
    shares: NDArray[np.float64]  # (6, 2) share of cases in which the two differ, by B, without and with an end token

    def names(self, candidates: NDArray[np.bool_]) -> str:
        """Candidates in words."""
        return ", ".join(f"the {TEXTS[b]} text with {TOKENS[v]}" for b, v in np.argwhere(candidates)) or "nothing"

    def text(self, candidates: NDArray[np.bool_]) -> str:
        """The text that the first of these candidates continues."""
        return TEXTS[int(np.argwhere(candidates)[0, 0])]

    def table(self) -> Table:
        without, with_end = self.shares.T
        return {"B": range(1, MOST_BEAMS + 1), "wrong without end tokens": without, "wrong with end tokens": with_end}


def compute(inputs: Inputs) -> Comparison:
    """The first case of the seed in which the two differ; where there is none, the first case."""
    cases = random_cases(N_CASE, inputs.n_beam, len(TOKENS), inputs.seed)
    at = int(differs(cases, inputs.ends).argmax())
    case = Cases(cases.totals[[at]], cases.log_probs[[at]])
    listed = shortlist(case)
    short, right = go_on(case, listed, inputs.ends)[0], go_on(case, None, inputs.ends)[0]
    return Comparison(
        sums=case.sums[0],
        listed=listed[0],
        short=short,
        right=right,
        missed=right & ~short,
        instead=short & ~right,
        number=at,
        n_case=N_CASE,
        shares=shares(N_CASE, MOST_BEAMS, len(TOKENS), inputs.seed),
    )


def draw(result: Comparison, inputs: Inputs) -> None:
    """One case, with the shortlist and with all candidates side by side."""
    n_beam = inputs.n_beam
    lists = (
        ("list", f"As often written: {n_beam} × {n_beam} candidates", result.listed, result.short),
        ("all", f"All {n_beam} × {len(TOKENS)} candidates", None, result.right),
    )
    for place, (kind, name, mask, rings) in zip(ui.pair("short-lists"), lists, strict=True):
        with place:
            ui.matrix(
                result.sums,
                rows=TEXTS[:n_beam],
                columns=TOKENS,
                key=f"short.{kind}:{n_beam}.{inputs.seed}.{inputs.ends}",
                kind="value",
                limits=(float(result.sums.min()), float(result.sums.max())),
                mask=mask,
                truth=rings,
                row_title="text so far",
                column_title="next token",
                value_title=ui.measured("sum of log-probabilities", "nats"),
                truth_title="goes on",
                empty_title="not on the list",
                label=name,
                takeaway=f"{name}. Going on: {result.names(rings)}.",
            )
