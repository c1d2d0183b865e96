"""Sinusoidal positions: the vector of a position as clock hands, and the one rotation that belongs to each shift."""

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from core.cache import MAX_FIGURES, memoize
from core.inspect import positions as measured
from core.nn.positions import sinusoidal
from core.rooms.positions.clock_widget import ClockAt, clock, clock_at
from core.rooms.positions.formatting import even, tiny
from core.ui.controls import controls, picks
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.widgets import widgets

MOST_WIDTH = 64  # 32 clocks: more hands than that cannot be read
MOST_POSITIONS = 128
N_TURNED = 40  # positions of the second exhibit: 40 x 40 cells fit beside the matrix
START: ClockAt = {"position": 5, "distance": 0, "pair": 0}


@memoize(MAX_FIGURES)
def table_of(n_position: int, d_model: int) -> NDArray[np.float64]:
    """The sinusoidal table in double precision: (T, D)."""
    return sinusoidal(n_position, d_model, dtype=torch.float64).numpy()


@memoize(MAX_FIGURES)
def shifted(n_position: int, d_model: int, shift: int) -> measured.Shifted:
    """All positions turned by one rotation."""
    return measured.shifted(n_position, d_model, shift)


def warm_up() -> None:
    """Compute what the page shows at first."""
    table_of(64, 16)
    shifted(N_TURNED, 16, 5)


@exhibit(
    title="A position as clock hands",
    look_for="the first clock, which races, and the last one, which hardly moves: together they tell the position, "
    "as a watch's hands tell the time. Each clock is a pair of numbers, the sine (how far its hand points right) "
    "and the cosine (how far up).",
    try_this=[
        (
            "Drag “position t” from 0 upwards.",
            "At position 0 every hand points straight up: sines 0, cosines 1. Then the first clock turns by 57.3° "
            "at every step and is back after 6.3 positions; every later clock is slower.",
        ),
        (
            "Set “dashed: t + k” to k = 5, then drag t again.",
            "Each clock has two hands, and the angle between them never changes. So the **dot product** of the two "
            "positions (multiply number by number, then add), printed above the clocks, stays at 6.1370 wherever "
            "you drag: it depends only on the distance.",
        ),
        (
            "Click the last clock, and look at its curves and its frame in the heat map.",
            "The curves hardly bend over the whole text: the last clock tells near from far, the first tells "
            "neighbors apart.",
        ),
    ],
    code=(sinusoidal,),
    formula=r"\begin{aligned} PE(t)_{2i} &= \sin\!\left(\frac{t}{10000^{2i/d_\text{model}}}\right) \\[1ex]"
    r"PE(t)_{2i+1} &= \cos\!\left(\frac{t}{10000^{2i/d_\text{model}}}\right) \end{aligned}",
)
def clock_hands() -> Shown:
    """The clocks, the curves and the heat map, linked in the browser."""
    left, right = st.columns(2, gap="medium")
    with left:
        width = even(controls.slider("clock_width", "Width: two numbers for each clock", 4, MOST_WIDTH, 16, step=2))
    with right:
        n = int(controls.slider("clock_positions", "Number of positions", 8, MOST_POSITIONS, 64, step=8))
    table = table_of(n, width)
    at = _where(n, width)
    clock(
        table,
        measured.frequencies(width),
        at=at,
        key=picks.key("clock", ""),
        label=f"{n} positions of {width} numbers",
    )
    return Shown(
        numbers=lambda: measured.by_position(table),
        arrays={"table": table, "frequencies": measured.frequencies(width)},
        formula=_with_numbers(table, at),
        script=lambda: scripts.script(
            """
            import torch

            from core.data.csv_table import print_table
            from core.inspect import positions
            from core.nn.positions import sinusoidal

            table = sinusoidal($n, $width, dtype=torch.float64).numpy()
            print_table(positions.by_position(table))
            """,
            n=n,
            width=width,
        ),
    )


def _where(n_position: int, width: int) -> ClockAt:
    """Where the clocks stand: what was just chosen in the picture, else what the address says."""
    pick = clock_at(picks.news("clock", ""), n_position, width)
    if pick is not None:
        picks.remember("clock", f"{pick['position']}.{pick['distance']}.{pick['pair']}")
        return pick
    parts = (picks.remembered("clock") or "").split(".")
    asked = dict(zip(START, map(_whole, parts), strict=False)) if len(parts) == 3 else None
    fallback: ClockAt = {"position": min(START["position"], n_position - 1), "distance": 0, "pair": 0}
    return clock_at(asked, n_position, width) or fallback


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else -1


def _with_numbers(table: NDArray[np.float64], at: ClockAt) -> str:
    """The formula for the chosen position and pair."""
    p, i, d = at["position"], at["pair"], table.shape[1]
    angle = rf"\frac{{{p}}}{{10000^{{{2 * i}/{d}}}}}"
    return (
        rf"\begin{{aligned}} \sin\!\left({angle}\right) &= {table[p, 2 * i]:.4f} \\[1ex]"
        rf"\cos\!\left({angle}\right) &= {table[p, 2 * i + 1]:.4f} \end{{aligned}}"
    )


@exhibit(
    title="A shift is one fixed rotation",
    look_for="the first number: the largest error when one fixed matrix moves each position's vector to the one "
    "some positions later. It's mere rounding.",
    try_this=[
        (
            "Move the shift k.",
            "The matrix changes, and the error stays below a trillionth. The matrix was made only from the shift, "
            "yet it's right for every position. A layer of a model can learn such a matrix, and then it looks that "
            "far back from anywhere.",
        ),
        (
            "Set k to 0.",
            "The matrix is the identity, ones on the diagonal and nothing else: no shift, no turn.",
        ),
        (
            "Follow a diagonal of the dot products with the pointer.",
            "All its cells hold the same number: only the distance between two positions counts, not where they are.",
        ),
    ],
    code=(measured.shift_matrix, measured.shifted, sinusoidal),
    formula=r"\begin{gathered} PE(t+k) = R_k \, PE(t) \quad\text{for every } t \\[1ex]"
    r"PE(t)\cdot PE(t+k) = \sum_i \cos\!\left(\frac{k}{10000^{2i/d_\text{model}}}\right) \end{gathered}",
)
def one_rotation() -> Shown:
    """The rotation matrix, its residual over all positions, and the dot products of all positions."""
    left, right = st.columns(2, gap="medium")
    with left:
        shift = int(controls.slider("turn_shift", "Shift", 0, N_TURNED - 1, 5, step=1))
    with right:
        width = even(controls.slider("turn_width", "Width", 4, MOST_WIDTH, 16, step=2))
    found = shifted(N_TURNED, width, shift)
    products = found.table @ found.table.T
    same = np.diagonal(products, shift)
    st.markdown(
        f"Largest error in moving positions 0 to {N_TURNED - 1} by {shift}: **{tiny(found.residual.max())}**. The dot "
        f"products of positions that are {shift} apart are all **{same[0]:.4f}**; the largest and the smallest differ "
        f"by **{tiny(np.ptp(same))}**."
    )
    depth.note(
        f"The error of $R_{{{shift}}}\\,PE(t) = PE(t+{shift})$, in double precision, which rounds numbers of this size "
        f"at about {tiny(1e-16, 1)}."
    )
    numbers, places = [str(j) for j in range(width)], [str(p) for p in range(N_TURNED)]
    rotation, dots = layout.pair("rotation")
    with rotation:
        widgets.matrix(
            found.matrix,
            rows=numbers,
            columns=numbers,
            key="positions-rotation",
            kind="signed",
            limits=(-1, 1),
            row_title="number of the moved vector",
            column_title="number of the vector",
            value_title="factor",
            label=f"The rotation for a shift of {shift}",
            height=460,
        )
    with dots:
        widgets.matrix(
            products,
            rows=places,
            columns=places,
            key="positions-products",
            kind="signed",
            limits=(-width / 2, width / 2),
            row_title="position",
            column_title="position",
            value_title="dot product",
            label="Dot products of all positions",
            height=460,
        )
    return Shown(
        numbers=found.errors,
        arrays={"rotation": found.matrix, "table": found.table, "products": products, "residual": found.residual},
        formula=_block(shift, width),
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.inspect import positions

            # One matrix, made from the shift alone, turns every position into the one that many places on.
            found = positions.shifted(n_position=$n, d_model=$width, shift=$shift)
            print_table(found.errors())
            """,
            n=N_TURNED,
            width=width,
            shift=shift,
        ),
    )


def _block(shift: int, width: int) -> str:
    """The blocks of the first and of the last pair in numbers."""
    speed = measured.frequencies(width)

    def block(i: int) -> str:
        cos, sin = np.cos(shift * speed[i]), np.sin(shift * speed[i])
        rows = rf"{cos:.4f} & {sin:.4f} \\ {0 - sin:.4f} & {cos:.4f}"
        return rf"\text{{pair }} {i}:\ \begin{{pmatrix}} {rows} \end{{pmatrix}}"

    return rf"\begin{{gathered}} {block(0)} \\[1ex] {block(width // 2 - 1)} \end{{gathered}}"
