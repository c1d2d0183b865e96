"""The B x B shortlist of a lecture note beside all B x V candidates: the same, until a token can end a text."""

from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import MAX_FIGURES, memoize
from core.rooms.beam.compute import shortlist
from core.rooms.beam.compute.shortlist import Cases
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.widgets import widgets

N_CASE = 2_000
MOST_BEAMS = 6
TOKENS = ("end", "a", "b", "c", "d", "e", "f", "g")
TEXTS = ("1st", "2nd", "3rd", "4th", "5th", "6th")  # the best first


@dataclass(frozen=True)
class Found:
    """One case, and in how many of all the shortlist goes wrong.

    Attributes:
        sums: (B, V) of the case that is shown.
        listed: (B, V) its B x B shortlist.
        short, right: (B, V) what goes on, by the shortlist and by all candidates.
        number: which case it is.
        shares: (6, 2) share of cases in which the two differ, by B and by whether a token ends a text.
    """

    sums: NDArray[np.float64]
    listed: NDArray[np.bool_]
    short: NDArray[np.bool_]
    right: NDArray[np.bool_]
    number: int
    shares: NDArray[np.float64]


@memoize(MAX_FIGURES)
def shares(seed: int) -> NDArray[np.float64]:
    """In what share of 2,000 random cases the shortlist goes wrong: (6, 2), by B, without and with end tokens."""
    return shortlist.shares(N_CASE, MOST_BEAMS, len(TOKENS), seed)


@memoize(MAX_FIGURES)
def found(n_beam: int, ends: bool, seed: int) -> Found:
    """The first case of the seed in which the two differ; where there is none, the first case."""
    cases = _cases(n_beam, seed)
    at = int(shortlist.differs(cases, ends).argmax())
    one = Cases(cases.totals[at : at + 1], cases.log_probs[at : at + 1])
    listed = shortlist.shortlist(one)
    return Found(
        one.sums[0],
        listed[0],
        shortlist.go_on(one, listed, ends)[0],
        shortlist.go_on(one, None, ends)[0],
        at,
        shares(seed),
    )


@exhibit(
    title="The B × B shortlist",
    look_for="the rings: the texts that go on. The left picture considers only a short list, the right one everything. "
    "The short list fails when all texts that should go on come from the same text, and “end” is among its B best: "
    "then the end takes one of their places.",
    try_this=[
        (
            "Switch the end token off.",
            "Now both pictures always agree: the B best of all hold at most B from one row, so each is among the B "
            "best of its row.",
        ),
        (
            "Set B to 1, then to 6, with the end token on.",
            "With 1 the short list is one token long: if that's the end, nothing is left to go on. The larger B is, "
            "the less often they all come from one text. At the first step they always do: there's only the prompt.",
        ),
    ],
    code=(shortlist.shortlist, shortlist.go_on, shortlist.differs, shortlist.random_cases),
    formula=r"\text{called} = 2B, \quad \text{ending} \le B \;\Rightarrow\; \text{going on} \ge B",
)
def b_squared() -> Shown:
    """One case side by side, and the share of all cases."""
    one, two, three = st.columns([1, 1, 1], gap="medium", vertical_alignment="bottom")
    with one:
        n_beam = int(controls.slider("short_b", "Beams (texts kept at once)", 1, MOST_BEAMS, 3, step=1))
    with two:
        seed = controls.seed(name="short_seed")
    with three:
        ends = controls.toggle("short_ends", "“end” ends a text", True)
    result = found(n_beam, ends, seed)
    rows = TEXTS[:n_beam]
    limits = float(result.sums.min()), float(result.sums.max())
    left, right = layout.pair("short-lists")
    for place, name, mask, rings in (
        (
            left,
            f"As often written: {n_beam} × {n_beam} candidates",
            result.listed,
            result.short,
        ),
        (right, f"All {n_beam} × {len(TOKENS)} candidates", None, result.right),
    ):
        with place:
            widgets.matrix(
                result.sums,
                rows=rows,
                columns=TOKENS,
                key=f"short.{'all' if mask is None else 'list'}:{n_beam}.{seed}.{ends}",
                kind="value",
                limits=limits,
                mask=mask,
                truth=rings,
                row_title="text so far",
                column_title="next token",
                value_title=depth.measured("sum of log-probabilities", "nats"),
                truth_title="goes on",
                empty_title="not on the list",
                label=name,
                takeaway=f"{name}. Going on: {_listed(rings)}.",
            )
    st.markdown(_told(result, n_beam))
    _table(result.shares, n_beam)
    return Shown(
        numbers=lambda: shortlist.share_table(result.shares),
        arrays=lambda: {"sums": result.sums, "listed": result.listed, "short": result.short, "right": result.right},
        script=lambda: _script(seed),
    )


def _cases(n_beam: int, seed: int) -> Cases:
    return shortlist.random_cases(N_CASE, n_beam, len(TOKENS), seed)


def _listed(rings: NDArray[np.bool_]) -> str:
    return ", ".join(f"the {TEXTS[row]} text with {TOKENS[token]}" for row, token in np.argwhere(rings)) or "nothing"


def _told(result: Found, n_beam: int) -> str:
    if (result.short == result.right).all():
        return f"Case {result.number}: the same texts go on, {_listed(result.right)}."
    missed, instead = result.right & ~result.short, result.short & ~result.right
    text = TEXTS[int(np.argwhere(missed)[0, 0])]
    why = f"“end” is among the {n_beam} best tokens of the {text} text" if n_beam > 1 else "the best token is “end”"
    taken = f"In its place {_listed(instead)} goes on." if instead.any() else "Nothing goes on instead."
    return (
        f"Case {result.number}, the first of {N_CASE:,} in which they differ: {why}. So {_listed(missed)} isn't on "
        f"the short list, though it should go on. {taken}"
    )


def _table(measured: NDArray[np.float64], n_beam: int) -> None:
    rows = [
        f"| {f'**{b}**' if b == n_beam else b} | {without:.1%} | {with_end:.1%} |"
        for b, (without, with_end) in enumerate(measured, start=1)
    ]
    st.markdown(f"How often, in {N_CASE:,} random cases, the short list lets other texts go on:")
    st.markdown("\n".join(["| B | without an end token | with one |", "|--:|--:|--:|", *rows]))


def _script(seed: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.beam.compute import shortlist

        # Random next-token distributions: which texts go on by the B x B shortlist, and which by all B x V candidates?
        measured = shortlist.shares(n_case=$n_case, most_beams=$most_beams, n_token=$n_token, seed=$seed)
        print_table(shortlist.share_table(measured))
        """,
        n_case=N_CASE,
        most_beams=MOST_BEAMS,
        n_token=len(TOKENS),
        seed=seed,
    )
