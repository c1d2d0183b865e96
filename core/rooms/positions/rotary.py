"""Rotary positions: a query and a key are turned by their places; their score knows only the distance."""

import streamlit as st

from core.cache import MAX_FIGURES, memoize
from core.inspect import positions
from core.nn.positions import rotate
from core.rooms.positions.clock_widget import RotaryAt, rotary, rotary_at
from core.rooms.positions.formatting import even, tiny
from core.ui.controls import controls, picks
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.widgets import widgets

N_POSITION = 32
START: RotaryAt = {"query": 9, "key": 4}
LAYOUTS = {"halves": "Halves (Llama)", "neighbors": "Neighbors (GPT-J)"}
BASES = [100, 10_000, 500_000]


@memoize(MAX_FIGURES)
def vectors(d_head: int, seed: int) -> positions.Pair:
    """A query and a key drawn from the seed."""
    return positions.drawn_pair(d_head, seed)


@memoize(MAX_FIGURES)
def scores_of(d_head: int, seed: int, base: int, interleaved: bool) -> positions.Array:
    """Scores of the query at every position with the key at every position: (T, T)."""
    pair = vectors(d_head, seed)
    return positions.rotary_scores(pair.q, pair.k, N_POSITION, float(base), interleaved)


def warm_up() -> None:
    """Compute what the page shows at first."""
    scores_of(8, 0, 10_000, False)


@exhibit(
    title="Rotary: slide both, and nothing changes",
    look_for="the score while you slide both tokens through the text: every hand turns, yet the score stays put. "
    "Move only one and it changes. In **rotary positions (RoPE)**, each position turns the query and the key a "
    "little further.",
    try_this=[
        (
            "Drag “slide both”.",
            "On each dial the two hands turn by the same angle, so the angle between them stays, and with it what "
            "the pair adds to the score (printed under the dial).",
        ),
        (
            "Drag only “query at”.",
            "Now the angles change, and the cursor runs along the curve: the score by distance.",
        ),
        (
            "Switch the pairs from “Halves” to “Neighbors”.",
            "Other numbers are turned together, so the scores differ: weights trained with one layout are wrong "
            "under the other, unless their rows are reordered.",
            "numbers",
        ),
    ],
    code=(rotate, positions.rotary_scores),
    formula=r"\mathrm{score}(m, n) = (R_m q)\cdot(R_n k) = q \cdot R_{n-m}\,k",
)
def rotary_pair() -> Shown:
    """The dials, which turn in the browser, and the scores for all places."""
    left, right = st.columns(2, gap="medium")
    with left:
        d_head = even(controls.slider("rotary_width", "Width of a head", 2, 16, 8, step=2))
    with right:
        base = controls.select("rotary_base", "Base", BASES, 10_000, labels={b: f"{b:,}" for b in BASES})
    left, right = st.columns([3, 2], gap="medium")
    with left:
        layout = controls.segmented("rotary_layout", "Pairs", list(LAYOUTS), "halves", labels=LAYOUTS)
    with right:
        seed = controls.seed(name="rotary_seed", label="Seed of the vectors")
    interleaved = layout == "neighbors"
    pair, scores = vectors(d_head, seed), scores_of(d_head, seed, base, interleaved)
    at = _where()
    rotary(
        pair.q,
        pair.k,
        positions.frequencies(d_head, float(base)),
        positions.by_distance(scores),
        interleaved=interleaved,
        at=at,
        start=START,
        key=picks.key("rotary", ""),
        label="Query and key, turned by their positions",
    )
    spread = positions.spread_by_distance(scores)
    st.markdown(
        f"All {N_POSITION} × {N_POSITION} pairs of positions: along each diagonal the score is the same. Largest "
        f"difference within a diagonal: **{tiny(spread.max())}**."
    )
    depth.note("Computed in double precision.")
    places = [str(i) for i in range(N_POSITION)]
    widgets.matrix(
        scores,
        rows=places,
        columns=places,
        key="rotary-scores",
        kind="signed",
        row_title="query at",
        column_title="key at",
        value_title="score",
        label="Scores by position",
        height=380,
    )
    return Shown(
        numbers=positions.distance_table(scores),
        arrays={"q": pair.q, "k": pair.k, "scores": scores},
        formula=_with_numbers(scores, at),
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.inspect import positions

            pair = positions.drawn_pair($width, seed=$seed)

            # The query at every place with the key at every place; only their distance counts.
            scores = positions.rotary_scores(pair.q, pair.k, $n, base=$base, interleaved=$interleaved)
            print_table(positions.distance_table(scores))
            """,
            width=d_head,
            seed=seed,
            n=N_POSITION,
            base=float(base),
            interleaved=interleaved,
        ),
    )


def _where() -> RotaryAt:
    """Where query and key stand: what was just chosen in the picture, else what the address says."""
    pick = rotary_at(picks.news("rotary", ""), N_POSITION)
    if pick is not None:
        picks.remember("rotary", f"{pick['query']}.{pick['key']}")
        return pick
    parts = (picks.remembered("rotary") or "").split(".")
    whole = [int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 4]
    asked = {"query": whole[0], "key": whole[1]} if len(whole) == len(parts) == 2 else None
    return rotary_at(asked, N_POSITION) or START


def _with_numbers(scores: positions.Array, at: RotaryAt) -> str:
    m, n = at["query"], at["key"]
    room = N_POSITION - 1 - max(m, n)  # both one step on, or back where there is no room
    step = 1 if room else -min(m, n, 1)
    return (
        rf"\begin{{aligned}} \mathrm{{score}}({m}, {n}) &= {scores[m, n]:.4f} \\[1ex]"
        rf"\mathrm{{score}}({m + step}, {n + step}) &= {scores[m + step, n + step]:.4f} \end{{aligned}}"
    )
