"""Which number to write for minus infinity, and what becomes of a row that may read nothing."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.inspect import leaks
from core.inspect.leaks import Lowest
from core.nn.attention import masked_softmax
from core.ui import controls, models
from core.ui.cache import MAX_TRACES, kept
from core.ui.frame import Shown, exhibit
from core.ui.looking import Looked
from core.ui.models import ModelKey

KINDS = {"float32": "32-bit", "bfloat16": "16-bit, bfloat16", "float16": "16-bit, float16"}


@kept(MAX_TRACES)
def lowest_numbers(key: ModelKey, packed: str, layer: int, head: int, query: int) -> tuple[Lowest, ...]:
    """Every candidate for minus infinity, written into the blocked scores of one row."""
    record = models.attention(key, packed)
    return leaks.lowest_numbers(record.scores[layer, head, query], record.mask[query])


@exhibit(
    title="A number for minus infinity",
    look_for="the last column: what a row becomes that may read nothing at all, such as a row of padding. That is "
    "where the choices differ.",
    try_this=[
        (
            "Compare −1e9 in 32 bits and in float16.",
            "In 32 bits it is a large negative number, and an empty row becomes even: it reads everything alike, "
            "quietly. float16 ends at ±65,504, so −1e9 turns into −∞, and the empty row into “nan”, which spreads "
            "through everything computed after it.",
        ),
        (
            "Move to another row.",
            "Nothing changes for rows that may read something: each choice leaves exactly 0 on blocked keys.",
        ),
    ],
    code=(leaks.lowest_numbers, masked_softmax),
)
def number_for_minus_infinity(looked: Looked, layer: int, head: int) -> Shown:
    """A table: number, kind of floating-point number, leak, empty row."""
    n_token = len(looked.encoded.ids)
    query = int(controls.slider("row", "Row to look at", 0, n_token - 1, n_token // 2, step=1))
    found = lowest_numbers(looked.key, looked.encoded.packed, layer, head, query)
    st.markdown(_table(found))
    st.caption(
        "This app adds the lowest finite number, and then sets rows that may read nothing to zeros: they write nothing "
        "into the text, forward and backward stay finite. torch's `scaled_dot_product_attention` gives zeros as well; "
        "`nn.MultiheadAttention` gives nan."
    )
    return Shown(
        numbers={
            "number": [one.number for one in found],
            "kind": [one.kind for one in found],
            "stored as": [one.stored for one in found],
            "weight on blocked keys": [one.leak for one in found],
            "empty row, first weight": [float(one.empty_row[0]) for one in found],
        },
        arrays={"empty_rows": np.stack([one.empty_row for one in found])},
    )


def _table(found: tuple[Lowest, ...]) -> str:
    lines = [
        "| kind of number | added to blocked scores | kept as | weight on blocked keys | a row that may read nothing |",
        "|---|---|---|---|---|",
    ]
    for one in found:
        is_ours = one.number == "masked_softmax"
        lines.append(
            f"| {KINDS[one.kind]} | {'**this app**: the lowest, then zeros' if is_ours else one.number} "
            f"| {'' if is_ours else _number(one.stored)} | {'exactly 0' if one.leak == 0 else f'{one.leak:.1e}'} "
            f"| {_row(one.empty_row)} |"
        )
    return "\n".join(lines)


def _number(value: float) -> str:
    return "−∞" if np.isinf(value) else f"{value:.4g}".replace("-", "−", 1)


def _row(row: NDArray[np.floating]) -> str:
    """An empty row in words."""
    if np.isnan(row).any():
        return "**nan** everywhere"
    if not row.any():
        return "0 everywhere"
    even = np.allclose(row, row[0], rtol=0.02)
    return f"{row[0]:.3f} everywhere" if even else f"{row.min():.3f} to {row.max():.3f}"
