"""Many heads: each projects the whole vector. What is lost when the vector is split first."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import MAX_FIGURES, memoize
from core.nn.attention import MultiHeadAttention
from core.rooms.step_by_step.compute import split_heads
from core.rooms.step_by_step.compute.split_heads import Count, SplitRecord
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.widgets import widgets

PAPER = (512, 8)  # d_model and n_head of the 2017 base transformer
VIEWS = {"weights": "The query matrix", "reach": "What a head can see", "mixed": "What the output matrix is for"}


@memoize(MAX_FIGURES)
def compared(d_model: int, n_head: int, seed: int) -> SplitRecord:
    """Both layers on one drawn input."""
    return split_heads.compare(d_model, n_head, seed)


@memoize(MAX_FIGURES)
def counted(d_model: int, n_head: int) -> Count:
    """Both layers' weights."""
    return split_heads.count(d_model, n_head)


@exhibit(
    title="Many heads: project, then split",
    look_for="the empty parts of the right-hand matrices. A lecture note splits the vector first and lets each head "
    "project only its own slice, so a head is blind to the rest of the token.",
    try_this=[
        (
            "Set 8 heads, then 1 head.",
            "With eight heads, the split layer has an eighth of the parameters for queries, keys and values: the "
            "rest are zeros that it can never learn. With one head both layers are the same.",
        ),
        (
            "Switch to “What a head can see” and point at cells of a row.",
            "In the standard layer, a change to any number of the token changes every head's query. In the split "
            "layer a head reacts only to its own slice; everything else changes it by exactly 0.",
        ),
        (
            "Switch to “What the output matrix is for”.",
            "Heads laid side by side don't meet: each fills its own part of the output. W_O then mixes all of them "
            "into every number. Some notes leave it out.",
            "numbers",
        ),
    ],
    code=(MultiHeadAttention, split_heads.ChunkedLinear, split_heads.split_then_project, split_heads.compare),
    formula=r"\begin{aligned} \text{head}_h &= \mathrm{Attention}(x W^Q_h,\, x W^K_h,\, x W^V_h) \\[1ex]"
    r"W^Q_h &: \; d_\text{model} \times d_k \\[1ex]"
    r"\text{out} &= [\text{head}_1 \dots \text{head}_H]\, W_O \end{aligned}",
)
def many_heads() -> Shown:
    """Both layers side by side: their weights, what a head of each can see, and what W_O adds."""
    left, middle, right = st.columns([2, 2, 1], gap="medium", vertical_alignment="bottom")
    with left:
        d_model = controls.segmented("split_width", "Width", [8, 16, 32, 64], 16)
    with middle:
        n_head = controls.segmented("split_heads", "Heads", [1, 2, 4, 8], 4)
    with right:
        seed = controls.seed(name="split_seed")
    view = controls.segmented("split_view", "Show", list(VIEWS), "weights", labels=VIEWS)
    record = compared(d_model, n_head, seed)
    own, paper = counted(d_model, n_head), counted(*PAPER)
    st.markdown(_in_words(record, own, view))
    pair: NDArray[np.float64] = {"weights": record.w_q, "reach": record.reach, "mixed": record.mixed}[view]
    titles = (
        ("With the output matrix", "Without it: heads only side by side")
        if view == "mixed"
        else ("Project, then split (standard)", "Split, then project")
    )
    limit = float(np.abs(pair).max())
    for side, values, title in zip(layout.pair("split"), pair, titles, strict=True):
        with side:
            _matrix(values, view, title, n_head, limit, record)
    st.markdown(_counts(own, paper))
    standard, split = (f"{count:,}".replace(",", "{,}") for count in (own.standard_qkv, own.split_qkv))
    return Shown(
        numbers=split_heads.count_table([own, paper]),
        arrays={"w_q": record.w_q, "reach": record.reach, "mixed": record.mixed},
        formula=rf"\begin{{aligned}} \text{{standard:}}\quad 3 \cdot {d_model}^2 &= {standard} \\[1ex]"
        rf"\text{{split first:}}\quad 3 \cdot {n_head} \cdot \left(\frac{{{d_model}}}{{{n_head}}}\right)^2 &= "
        rf"{split} \end{{aligned}}",
        script=lambda: _script(d_model, n_head),
    )


def _script(d_model: int, n_head: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.step_by_step.compute.split_heads import count, count_table

        # Weights, counted in the modules themselves: these sizes, and those of the paper of 2017.
        print_table(count_table([count(d_model=$d_model, n_head=$n_head), count(*$paper)]))
        """,
        d_model=d_model,
        n_head=n_head,
        paper=PAPER,
    )


def _matrix(values: NDArray[np.float64], view: str, title: str, n_head: int, limit: float, record: SplitRecord) -> None:
    d_model = record.w_q.shape[-1]
    slots = [f"h{number * n_head // d_model}·{number % (d_model // n_head)}" for number in range(d_model)]
    numbers = [f"x{number}" for number in range(d_model)]
    names = {
        "weights": (slots, numbers, "number of q", "number of x", "weight"),
        "reach": (
            [f"head {h}" for h in range(n_head)],
            numbers,
            "head",
            "number of the token that grows by 1",
            "change of q",
        ),
        "mixed": (
            [f"head {h}" for h in range(n_head)],
            [f"out{number}" for number in range(d_model)],
            "head switched off",
            "number of the output",
            "change",
        ),
    }[view]
    n_zero = int((values == 0).sum())
    widgets.matrix(
        values,
        rows=names[0],
        columns=names[1],
        key=f"split.{view}.{title[:7]}",
        kind="signed" if view == "weights" else "value",
        limits=(-limit, limit) if view == "weights" else (0.0, limit),
        row_title=names[2],
        column_title=names[3],
        value_title=names[4],
        label=title,
        height=420,
        takeaway=f"{title}: {n_zero} of {values.size} cells are exactly 0.",
    )


def _in_words(record: SplitRecord, own: Count, view: str) -> str:
    if view == "mixed":
        after, before = _seen(record.mixed[0]), _seen(record.mixed[1])
        return (
            f"Switch one head off: with the output matrix after the heads **{after} of {own.d_model}** numbers of "
            f"the output change, without it **{before} of {own.d_model}**, the head's own part."
        )
    if view == "reach":
        standard, split = _seen(record.reach[0]), _seen(record.reach[1])
        return (
            f"A head of the standard layer reacts to **{standard} of {own.d_model}** numbers of a token. A head of "
            f"the split layer reacts to **{split}**; the other {own.d_model - split} change it by exactly 0."
        )
    return (
        f"Splitting first is the standard layer with zeros outside the blocks (a block-diagonal matrix): the two "
        f"outputs differ by exactly **{record.same:.0f}**. Of the query matrix's {own.d_model**2:,} entries, "
        f"{own.split_qkv // 3:,} can learn{'; the rest stay zero for good' if own.n_head > 1 else ''}."
    )


def _seen(changes: NDArray[np.float64]) -> int:
    """How many columns of a row are not exactly 0, in the row that has fewest."""
    return int((changes != 0).sum(-1).min())


def _counts(own: Count, paper: Count) -> str:
    sizes = [f"width {one.d_model}, {one.n_head} head{'s' * (one.n_head > 1)}" for one in (own, paper)]
    rows = {
        "Queries, keys, values: project, then split": [one.standard_qkv for one in (own, paper)],
        "Queries, keys, values: split, then project": [one.split_qkv for one in (own, paper)],
        "Output matrix, in both": [one.w_o for one in (own, paper)],
    }
    lines = [f"| parameters | {sizes[0]} | {sizes[1]}, as in 2017 |", "|:--|--:|--:|"]
    lines += [f"| {name} | {a:,} | {b:,} |" for name, (a, b) in rows.items()]
    return "\n".join(lines)
