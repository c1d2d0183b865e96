"""Which number to write for minus infinity, and what becomes of a row that may read nothing."""

import numpy as np
import streamlit as st

from core.cache import MAX_TRACES, memoize
from core.inspect.model_and_text import ModelAndText
from core.nn.attention import masked_softmax
from core.rooms.masks.compute import mask_placement
from core.rooms.masks.compute.mask_placement import Lowest
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.numbers import power_of_ten

NAMES = {"the lowest finite number": "the lowest number", "masked_softmax": "**this app**"}
KINDS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}


@memoize(MAX_TRACES)
def lowest_numbers(key: ModelKey, packed: str, layer: int, head: int, query: int) -> tuple[Lowest, ...]:
    """Every candidate for minus infinity, written into the blocked scores of one row."""
    record = models.attention(key, packed)
    return mask_placement.lowest_numbers(record.scores[layer, head, query], record.mask[query])


@exhibit(
    title="A number for minus infinity",
    look_for="rows that may read nothing at all, such as rows of padding. Only there do the choices differ.",
    try_this=[
        (
            "Compare −1e9 in fp32 and in fp16.",
            "In fp32 it's a large negative number, and an empty row quietly reads everything alike. fp16 ends at "
            "±65,504, so −1e9 becomes minus infinity and the empty row “nan”, not a number, which spreads through "
            "everything computed after it.",
        ),
        (
            "Move to another row.",
            "A row that may read something doesn't care: every choice leaves exactly 0 on blocked tokens.",
        ),
    ],
    code=(mask_placement.lowest_numbers, masked_softmax),
)
def number_for_minus_infinity(looked: ModelAndText, layer: int, head: int) -> Shown:
    """A table: number, kind of floating-point number, leak, empty row."""
    n_token = len(looked.encoded.ids)
    query = int(controls.slider("mask_row", "Row to look at", 0, n_token - 1, n_token // 2, step=1))
    found = lowest_numbers(looked.key, looked.encoded.packed, layer, head, query)
    worst = max(one.leak for one in found)
    st.markdown(
        f"Row {query} as it is: all {len(found)} choices leave "
        f"{'exactly 0' if worst == 0 else f'up to {power_of_ten(worst)}'} on blocked tokens. "
        "The same row, **if it may read nothing**:"
    )
    st.markdown(_table(found))
    st.caption(
        "fp32 stores a number in 32 **bits** (zeros and ones), bf16 and fp16 in 16. This app adds the lowest number "
        "there is, then sets rows that may read nothing to 0, so they write nothing."
    )
    depth.note(
        "In torch these are float32, bfloat16 and float16. The zeros also keep the gradients of empty rows finite. "
        "`scaled_dot_product_attention` gives zeros too; `nn.MultiheadAttention` gives nan."
    )
    return Shown(
        numbers=mask_placement.lowest_table(found),
        arrays={"empty_rows": np.stack([one.empty_row for one in found])},
        script=lambda: _script(looked, layer, head, query),
    )


def _script(looked: ModelAndText, layer: int, head: int, query: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.masks.compute import mask_placement
        from core.inspect import trace
        from core.inspect.readers import reader_of
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        ids = $ids

        # One row of one head's scores, and which keys it may read.
        record = trace.attention(model, ids)
        scores, mask = record.scores[$layer, $head, $query], record.mask[$query]
        print_table(mask_placement.lowest_table(mask_placement.lowest_numbers(scores, mask)))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        layer=layer,
        head=head,
        query=query,
    )


def _table(found: tuple[Lowest, ...]) -> str:
    """A row for each number, a column for each kind of floating-point number: what becomes of an empty row."""
    by_name = {(one.number, one.kind): one for one in found}
    lines = ["| added | " + " | ".join(KINDS.values()) + " |", "|---|---|---|---|"]
    for number in dict.fromkeys(one.number for one in found):
        row = (by_name[number, kind] for kind in KINDS)
        lines.append(f"| {NAMES.get(number, number)} | " + " | ".join(_outcome(one) for one in row) + " |")
    return "\n".join(lines)


def _outcome(one: Lowest) -> str:
    """An empty row in words, and what the machine made of the number where it could not keep it."""
    row = one.empty_row
    if np.isnan(row).any():
        told = "**nan**"
    elif not row.any():
        told = "all 0"
    elif np.allclose(row, row[0], rtol=0.02):
        told = f"all {row[0]:.3f}"
    else:
        told = f"{row.min():.3f} to {row.max():.3f}"
    return f"is −∞: {told}" if one.number == "−1e9" and np.isinf(one.stored) else told
