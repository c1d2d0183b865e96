"""Sinusoidal positions as often written, running beside the right ones; and what position 0 adds."""

from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.cache import MAX_FIGURES, memoize
from core.inspect import positions
from core.inspect.positions import Promises
from core.nn.positions import sinusoidal
from core.rooms.positions.compute import lecture_positions
from core.rooms.positions.formatting import even, tiny
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.widgets import widgets

SHIFT = 5
RIGHT = "right"
SCHEMES = {"code": "A lecture's code", "formula": "A lecture's formula"}
DRAWN = {"tables": "The tables", "products": "Dot products of positions"}


@memoize(MAX_FIGURES)
def table_of(scheme: str, n_position: int, d_model: int) -> NDArray[np.float64]:
    """A table of positions in double precision: "right", "code" or "formula"."""
    return _scheme(scheme)(n_position, d_model).numpy()


@memoize(MAX_FIGURES)
def promises_of(scheme: str, n_position: int, d_model: int) -> Promises:
    """The three properties, measured. The fit gets four positions for each number of a vector."""
    make = _scheme(scheme)
    return positions.promises(make(n_position, d_model), make(4 * d_model + SHIFT, d_model), SHIFT)


def warm_up() -> None:
    """Compute what the page shows at first."""
    for scheme in (RIGHT, "code"):
        promises_of(scheme, 64, 8)


def _scheme(name: str) -> Callable[[int, int], Tensor]:
    if name == "code":
        return lecture_positions.lecture_table
    if name == "formula":
        return lecture_positions.formula_without_brackets
    return lambda n, d: sinusoidal(n, d, dtype=torch.float64)


@exhibit(
    title="A small slip breaks three promises",
    look_for="the three lines of the table: what the right positions keep to the last digit, and what's left of it "
    "when the cosine of a pair gets another speed than its sine.",
    try_this=[
        (
            "Compare the two columns at width 8.",
            "The right vectors all have the squared length 4; in the lecture's code it runs from 2.62 to 5.58. Dot "
            "products at equal distance differ by up to 3.0 instead of mere rounding. And no matrix moves every "
            "position by 5 anymore: the best one misses by 1.1.",
        ),
        (
            "Raise the width to 128.",
            "The largest error of a single number is 1.99, and no number in a table of sines can be wrong by more "
            "than 2. Wider vectors don't heal it.",
        ),
        (
            "Switch to “A lecture's formula”.",
            "One pair of brackets is missing. Read as printed, every cosine stays almost still at 1, so half of the "
            "numbers say nothing about the position.",
        ),
    ],
    code=(lecture_positions.lecture_table, lecture_positions.formula_without_brackets, sinusoidal, positions.promises),
    formula=r"\begin{array}{rl} \text{right, for odd } j \text{:} & \cos\!\left(t \,/\, "
    r"10000^{(j-1)/d_\text{model}}\right) \\ "
    r"\text{a lecture's code:} & \cos\!\left(t \,/\, 10000^{j/d_\text{model}}\right) \\ "
    r"\text{a lecture's formula:} & \cos\!\left(t \,/\, 10000^{j-1/d_\text{model}}\right) \end{array}",
)
def lecture_code() -> Shown:
    """Right and wrong side by side: three measured properties, both tables and their difference."""
    left, right_side = st.columns(2, gap="medium")
    with left:
        width = even(controls.slider("lecture_width", "Width", 4, 128, 8, step=4))
    with right_side:
        n = int(controls.slider("lecture_positions", "Number of positions", 16, 96, 64, step=8))
    scheme = controls.segmented("lecture_version", "Beside the right one", list(SCHEMES), "code", labels=SCHEMES)
    right, wrong = promises_of(RIGHT, n, width), promises_of(scheme, n, width)
    tables = table_of(RIGHT, n, width), table_of(scheme, n, width)
    st.markdown(_properties(right, wrong, width, SCHEMES[scheme]))
    st.markdown(
        f"Largest error of a single number: **{np.abs(tables[0] - tables[1]).max():.2f}** "
        f"({n} positions of {width} numbers)."
    )
    if scheme == "formula":
        depth.note("Printed is j − 1/d_model instead of (j − 1)/d_model.")
    drawn = controls.segmented("lecture_drawn", "Draw", list(DRAWN), "tables", labels=DRAWN)
    if drawn == "tables":
        _draw((tables[0].T, tables[1].T), SCHEMES[scheme], limit=1.0, rows="number", columns="position")
    else:
        limit = max(np.abs(right.products).max(), np.abs(wrong.products).max())
        _draw((right.products, wrong.products), SCHEMES[scheme], limit=limit, rows="position", columns="position")
    arrays = {
        "right": tables[0],
        "wrong": tables[1],
        "products_right": right.products,
        "products_wrong": wrong.products,
    }
    return Shown(
        numbers=lambda: positions.promises_table(right, wrong),
        arrays=arrays,
        script=lambda: _script(scheme, n, width),
    )


def _script(scheme: str, n_position: int, d_model: int) -> str:
    return scripts.script(
        """
        import torch

        from core.data.csv_table import print_table
        from core.rooms.positions.compute.lecture_positions import $wrong
        from core.inspect.positions import promises, promises_table
        from core.nn.positions import sinusoidal

        n, d, shift = $n, $d, $shift
        more = 4 * d + shift  # positions for the fit: with too few of them some matrix always fits
        right = [sinusoidal(length, d, dtype=torch.float64) for length in (n, more)]
        wrong = [$wrong(length, d) for length in (n, more)]
        print_table(promises_table(promises(*right, shift), promises(*wrong, shift)))
        """,
        wrong=scripts.Code(_scheme(scheme).__name__),
        n=n_position,
        d=d_model,
        shift=SHIFT,
    )


def _properties(right: Promises, wrong: Promises, width: int, name: str) -> str:
    """The three promises as a table in Markdown."""

    def cells(found: Promises) -> tuple[str, str, str]:
        low, high = found.squared_norm.min(), found.squared_norm.max()
        length = f"{low:.2f}" if high - low < 1e-6 else f"{low:.2f} … {high:.2f}"
        return length, _small(found.spread.max()), _small(found.misfit)

    mine, theirs = cells(right), cells(wrong)
    promises = (
        f"All vectors have the same squared length, half the width: {width // 2}",
        "Dot products depend only on the distance: largest difference at equal distance",
        f"One matrix moves every position by {SHIFT}: largest error of the best matrix",
    )
    lines = [f"| {p} | {a} | **{b}** |" for p, a, b in zip(promises, mine, theirs, strict=True)]
    return "\n".join([f"| What is promised | Right | {name} |", "|:--|--:|--:|", *lines])


def _small(value: float) -> str:
    return f"{value:.2f}" if value >= 0.005 else tiny(value, 1)


def _draw(
    both: tuple[NDArray[np.float64], NDArray[np.float64]], name: str, *, limit: float, rows: str, columns: str
) -> None:
    """Right, wrong and their difference under one fixed range of colors each."""
    n_row, n_column = both[0].shape
    pictures = (("Right", both[0], limit), (name, both[1], limit), ("Difference", both[1] - both[0], 2 * limit))
    # Square ones stand side by side, so that both are on one screen; a table as long as the text needs the whole width.
    beside = layout.pair("lecture-drawn") if n_row == n_column else (nullcontext(), nullcontext())
    for (title, values, most), place in zip(pictures, (*beside, nullcontext()), strict=True):
        with place:
            widgets.matrix(
                values,
                rows=[str(i) for i in range(n_row)],
                columns=[str(i) for i in range(n_column)],
                key=f"lecture-{title == 'Right'}-{title == 'Difference'}",
                kind="signed",
                limits=(-most, most),
                row_title=rows,
                column_title=columns,
                value_title="value",
                label=title,
                height=330,
            )


@exhibit(
    title="Position 0 isn't nothing",
    look_for="the row “sum”: position 0 adds 0 to the first number of each pair and 1 to the second, because the "
    "sine of 0 is 0 and the cosine of 0 is 1. The row “printed” is what a lecture note has for that sum.",
    try_this=[
        (
            "Compare the last two rows.",
            "A lecture note prints a token's vector and then the same vector “positional encoded”: the two are "
            "identical. Whatever made that print, it didn't add the position.",
        ),
        (
            "Move the position.",
            "Now both numbers of a pair change. The last pair is slow: at position 1 its sine has moved by 1 in the "
            "fourth digit, its cosine not at all.",
        ),
    ],
    code=(sinusoidal,),
    formula=r"\begin{aligned} PE(0) &= (\sin 0, \cos 0, \sin 0, \cos 0, \dots) \\ &= (0, 1, 0, 1, \dots) \end{aligned}",
)
def position_zero() -> Shown:
    """A printed embedding, a position added to it, and what a lecture note printed instead."""
    position = int(controls.slider("zero_position", "Position", 0, 30, 0, step=1))
    rows = lecture_positions.printed_token(position)
    numbers = rows.pop("number")
    added = rows[f"PE({position})"]
    widgets.matrix(
        list(rows.values()),
        rows=list(rows),
        columns=[str(j) for j in numbers],
        key="position-zero",
        kind="signed",
        limits=(-2, 2),
        row_title="vector",
        column_title="number",
        value_title="value",
        label="A token's vector, its position, and their sum",
        takeaway=f"Position {position} adds {', '.join(f'{value:.4f}' for value in added)}.",
        height=210,
    )
    if position == 0:
        off = np.abs(rows["sum"] - np.array(rows["printed"]))
        st.markdown(
            f"{int((off > 0.5).sum())} of these {len(numbers)} printed numbers are wrong, each by {off.max():.0f}."
        )
    return Shown(
        numbers={"number": numbers, **rows},
        arrays={"added": added},
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.rooms.positions.compute import lecture_positions

            # Some numbers of an embedding that a lecture note prints, and the position added to them.
            print_table(lecture_positions.printed_token(position=$position))
            """,
            position=position,
        ),
    )
