"""The B x B shortlist of a lecture note compared with all B x V candidates: equal, until a token can end a text."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, seed, slider, toggle

LABELS = module_labels(__name__)
N_CASE = 2_000
MOST_BEAMS = 6
TOKENS = (LABELS["end"], "a", "b", "c", "d", "e", "f", "g")
TEXTS = tuple(LABELS.options("text", *range(1, MOST_BEAMS + 1)).values())  # the best first
END = 0  # the end token's id in these cases


class Cases(NamedTuple):
    """n states of a beam search just before its next texts are selected."""

    totals: Float[NDArray[np.float64], "n B"]  # log-probabilities of the current texts, nats, best first
    log_probs: Float[NDArray[np.float64], "n B V"]  # log-probabilities of each next token, nats

    @property
    def sums(self) -> Float[NDArray[np.float64], "n B V"]:
        """The log-probability of each text extended by each token."""
        return self.totals[:, :, None] + self.log_probs


def random_cases(n: int, n_beam: int, n_token: int, seed: int, spread: float = 1.0, gap: float = 1.0) -> Cases:
    """Sample random next-token distributions after random texts.

    Args:
        spread: standard deviation of the logits; a larger one makes the model more confident.
        gap: the mean distance of the texts' log-probabilities below 0, nats.
    """
    generator = np.random.default_rng(seed)
    logits = generator.normal(0, spread, (n, n_beam, n_token))
    shifted = logits - logits.max(-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    totals = -np.sort(generator.exponential(gap, (n, n_beam)), -1)
    return Cases(totals, log_probs)


def shortlist_candidates(cases: Cases) -> Bool[NDArray[np.bool_], "n B V"]:
    """Return the B x B candidates of the lecture note, which are the B best next tokens of each text."""
    n_beam = cases.totals.shape[1]
    return _best(cases.log_probs, min(n_beam, cases.log_probs.shape[2]))


def select_continued(
    cases: Cases, allowed: Bool[NDArray[np.bool_], "n B V"] | None, ends: bool
) -> Bool[NDArray[np.bool_], "n B V"]:
    """Return the B candidates that are continued, which are the best ones that do not end.

    Args:
        allowed: the candidates that are considered; None: all B x V.
        ends: whether token END ends a text; if not, it is a token like any other.
    """
    sums = cases.sums if allowed is None else np.where(allowed, cases.sums, -np.inf)
    if ends:
        sums = sums.copy()
        sums[:, :, END] = -np.inf
    flat = sums.reshape(len(sums), -1)
    return (_best(flat, cases.totals.shape[1]) & (flat > -np.inf)).reshape(sums.shape)


def find_differences(cases: Cases, ends: bool) -> Bool[NDArray[np.bool_], " n"]:
    """Return the cases in which the shortlist continues other texts than the correct selection does."""
    return (select_continued(cases, shortlist_candidates(cases), ends) != select_continued(cases, None, ends)).any(
        (1, 2)
    )


def failure_rates(n_case: int, most_beams: int, n_token: int, seed: int) -> Float[NDArray[np.float64], "B 2"]:
    """Return the share of random cases in which the shortlist fails, by B from 1, without and with an end token."""
    every = [random_cases(n_case, n_beam, n_token, seed) for n_beam in range(1, most_beams + 1)]
    return np.array([[find_differences(one, ends).mean() for ends in (False, True)] for one in every])


def _best(values: Float[NDArray[np.float64], "... V"], k: int) -> Bool[NDArray[np.bool_], "... V"]:
    """Return a mask of the k largest values of each row; among equals the lower index."""
    order = np.argsort(-values, axis=-1, kind="stable")[..., :k]
    chosen = np.zeros(values.shape, dtype=bool)
    np.put_along_axis(chosen, order, True, -1)
    return chosen


CODE = (shortlist_candidates, select_continued, find_differences, random_cases)


class Inputs(Base, prefix="short_"):
    n_beam: int = slider(1, MOST_BEAMS, 3, name="short_b")
    seed: int = seed()
    ends: bool = toggle(True)


class ShortlistComparison(Result):
    """One case, and the share of all cases in which the shortlist fails."""

    sums: NDArray[np.float64]  # (B, V) log-probabilities of the candidates in the case shown
    listed: NDArray[np.bool_]  # (B, V) its B x B shortlist
    short: NDArray[np.bool_]  # (B, V) candidates continued when only the shortlist is considered
    right: NDArray[np.bool_]  # (B, V) candidates continued when all are considered
    missed: NDArray[np.bool_]  # (B, V) candidates that should be continued but aren't
    instead: NDArray[np.bool_]  # (B, V) candidates that are continued in their place
    number: int  # the number of the case
    n_case: int
    shares: NDArray[np.float64]  # (6, 2) share of cases that differ, by B, without and with an end token

    def names(self, candidates: NDArray[np.bool_]) -> str:
        """Return candidates in words."""
        return ", ".join(LABELS("candidate", text=TEXTS[b], token=TOKENS[v]) for b, v in np.argwhere(candidates))

    def text(self, candidates: NDArray[np.bool_]) -> str:
        """Return the rank of the text that the first of these candidates continues."""
        return TEXTS[int(np.argwhere(candidates)[0, 0])]

    def table(self) -> Table:
        without, with_end = self.shares.T
        return {"B": range(1, MOST_BEAMS + 1), LABELS["table.without"]: without, LABELS["table.with_end"]: with_end}


def compute(inputs: Inputs) -> ShortlistComparison:
    """Return the seed's first case in which the two differ; if none does, the first case."""
    cases = random_cases(N_CASE, inputs.n_beam, len(TOKENS), inputs.seed)
    at = int(find_differences(cases, inputs.ends).argmax())
    case = Cases(cases.totals[[at]], cases.log_probs[[at]])
    listed = shortlist_candidates(case)
    short, right = select_continued(case, listed, inputs.ends)[0], select_continued(case, None, inputs.ends)[0]
    return ShortlistComparison(
        sums=case.sums[0],
        listed=listed[0],
        short=short,
        right=right,
        missed=right & ~short,
        instead=short & ~right,
        number=at,
        n_case=N_CASE,
        shares=failure_rates(N_CASE, MOST_BEAMS, len(TOKENS), inputs.seed),
    )


def draw(result: ShortlistComparison, inputs: Inputs) -> None:
    """Draw one case, with the shortlist and with all candidates side by side."""
    n_beam = inputs.n_beam
    lists = (
        ("list", LABELS("list", n_beam=n_beam), result.listed, result.short),
        ("all", LABELS("all", n_beam=n_beam, n_token=len(TOKENS)), None, result.right),
    )
    for place, (kind, name, mask, rings) in zip(ui.two_columns("short-lists"), lists, strict=True):
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
                row_title=LABELS["text_so_far"],
                column_title=LABELS["next_token"],
                value_title=ui.quantity_label(LABELS["sum"], LABELS["nats"]),
                truth_title=LABELS["goes_on"],
                empty_title=LABELS["not_on_the_list"],
                label=name,
                takeaway=LABELS("takeaway", name=name, candidates=result.names(rings))
                if rings.any()
                else LABELS("takeaway_nothing", name=name),
            )
