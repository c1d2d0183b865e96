"""The B x B shortlist of a lecture note beside all B x V candidates: the same, until a token can end a text."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.inputs import Inputs as Base
from core.inputs import seed, slider, toggle
from core.rooms.beam.compute import shortlist
from core.rooms.beam.compute.shortlist import Cases

N_CASE = 2_000
MOST_BEAMS = 6
TOKENS = ("end", "a", "b", "c", "d", "e", "f", "g")
TEXTS = ("1st", "2nd", "3rd", "4th", "5th", "6th")  # the best first
CODE = (shortlist.shortlist, shortlist.go_on, shortlist.differs, shortlist.random_cases)


class Inputs(Base, prefix="short_"):
    """Random cases."""

    n_beam: int = slider("Beams (texts kept at once)", 1, MOST_BEAMS, 3, name="short_b")
    seed: int = seed()
    ends: bool = toggle("“end” ends a text", True)


@dataclass(frozen=True)
class Comparison:
    """One case, and in how many of all the shortlist goes wrong.

    Attributes:
        sums: (B, V) of the case that is shown.
        listed: (B, V) its B x B shortlist.
        short, right: (B, V) what goes on, by the shortlist and by all candidates.
        number: which case it is.
        shares: (6, 2) share of cases in which the two differ, by B, without and with a token that ends a text.
    """

    sums: NDArray[np.float64]
    listed: NDArray[np.bool_]
    short: NDArray[np.bool_]
    right: NDArray[np.bool_]
    number: int
    shares: NDArray[np.float64]

    @property
    def missed(self) -> NDArray[np.bool_]:
        """(B, V) what should go on, and isn't on the shortlist."""
        return self.right & ~self.short

    @property
    def instead(self) -> NDArray[np.bool_]:
        """(B, V) what goes on in its place."""
        return self.short & ~self.right

    def names(self, candidates: NDArray[np.bool_]) -> str:
        """Candidates in words."""
        return ", ".join(f"the {TEXTS[b]} text with {TOKENS[v]}" for b, v in np.argwhere(candidates)) or "nothing"

    def text(self, candidates: NDArray[np.bool_]) -> str:
        """The text that the first of these candidates continues."""
        return TEXTS[int(np.argwhere(candidates)[0, 0])]

    def table(self) -> dict[str, Any]:
        """One line for each B."""
        without, with_end = self.shares.T
        return {"B": range(1, MOST_BEAMS + 1), "wrong without end tokens": without, "wrong with end tokens": with_end}


def compute(inputs: Inputs) -> Comparison:
    """The first case of the seed in which the two differ; where there is none, the first case."""
    cases = shortlist.random_cases(N_CASE, inputs.n_beam, len(TOKENS), inputs.seed)
    at = int(shortlist.differs(cases, inputs.ends).argmax())
    case = Cases(cases.totals[[at]], cases.log_probs[[at]])
    listed = shortlist.shortlist(case)
    return Comparison(
        sums=case.sums[0],
        listed=listed[0],
        short=shortlist.go_on(case, listed, inputs.ends)[0],
        right=shortlist.go_on(case, None, inputs.ends)[0],
        number=at,
        shares=shortlist.shares(N_CASE, MOST_BEAMS, len(TOKENS), inputs.seed),
    )


def draw(result: Comparison, inputs: Inputs) -> None:
    """One case side by side, and the share of all cases."""
    n_beam = inputs.n_beam
    for place, kind, mask, rings in zip(
        ui.pair("short-lists"), ("list", "all"), (result.listed, None), (result.short, result.right), strict=True
    ):
        name = f"All {n_beam} × {len(TOKENS)} candidates"
        if kind == "list":
            name = f"As often written: {n_beam} × {n_beam} candidates"
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
    ui.say("case", n_case=N_CASE)
    ui.say("shares", n_case=N_CASE)
