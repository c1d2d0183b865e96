"""The learner's own string through one version of the lecture's class: its weights, and what they depend on."""

from typing import Any

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from core.inspect.tap_lines import tap_line
from core.models.seq2seq import Seq2Seq
from core.rooms.hard_attention.common import VERSIONS
from core.rooms.hard_attention.compute import lecture as look
from core.rooms.hard_attention.compute.lecture import Reading
from core.rooms.hard_attention.compute.lecture_attention import Repairs
from core.rooms.hard_attention.experiments import lecture as task
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout
from core.ui.models.own_words import tell_letters
from core.ui.numbers import power_of_ten
from core.ui.widgets import widgets
from core.ui.widgets.badge import Badge
from core.ui.widgets.badges import NO_PASS

WORD = "headache"
MOST_PADDING = 4


def reading(shown: Live, repairs: Repairs, *, is_open: bool) -> Reading | None:
    """The learner's string, padded, through the version with these repairs: its weights and what they depend on.

    Args:
        is_open: whether what it writes may be seen, because the guess has been made.
    """
    left, right = st.columns([2, 1], gap="medium")
    with left:
        typed = controls.text_input("lecture_text", "Your string, letters a to h", WORD, max_chars=task.LONGEST)
    with right:
        n_padding = int(controls.slider("lecture_padding", "Padding after it", 0, MOST_PADDING, 2, step=1))
    tell_letters("lecture_text", typed, task.LETTERS, "the letters a to h", ("headache", "cabbage", "badge"))
    ids = [task.LETTERS.index(sign) for sign in typed.lower() if sign in task.LETTERS]
    if not ids:
        st.info("Type at least one of the letters a to h.")
        return None
    widths = look.run_once(repairs, look.OTHER_WIDTHS)
    said = "it fails" if widths else "it runs"
    elsewhere = f"With parts of different widths, {said}."
    if depth.at_least("numbers"):
        why = f": `{widths}`" if widths else ""
        elsewhere = f"With embeddings of 16 numbers, 20 in an encoder state and 24 in a decoder state, {said}{why}."
    variant = task.variant_of(repairs)
    if variant is None:
        fault = f": `{look.run_once(repairs, task.widths())}`" if depth.at_least("numbers") else ""
        st.warning(
            f"These repairs do not run together{fault}. Once the encoder is asked, there's a score for each source "
            "token, with a dimension that the next line doesn't expect.",
            icon=":material/info:",
        )
        st.markdown(elsewhere)  # a caption is too faint for code
        return None
    model = task.model_of(shown.record, variant)
    found, alone = read(model, ids, n_padding), read(model, ids, 0)
    said_ids = task.write(model, strings(ids, n_padding))[0, : len(ids)].tolist()
    badge = Badge(
        tensor="decoder.attn.weights",
        index=("row", "column"),
        shape=found.weights.shape,
        model=f"the lecture's class, {VERSIONS[variant]}",
        step=shown.step,
        seed=shown.seed,
        source=tap_line(model, "decoder.attn.weights"),
        identity=f"{variant} {shown.step} {shown.seed} {typed} {n_padding} {shown.options}",
        why_not=NO_PASS,
    )
    map_side, fact_side = layout.pair("lecture-map")
    signs = [task.LETTERS[i] for i in ids]
    with map_side:
        widgets.matrix(
            found.weights,
            rows=signs[::-1],
            columns=signs + ["pad"] * n_padding,
            key=f"lecture-map.{variant}.{''.join(signs)}.{n_padding}",
            truth=_truth(len(ids), n_padding),
            truth_title="the letter that is needed",
            row_title="to be written",
            column_title="source",
            height=320,
            label=f"Weights, {VERSIONS[variant]}",
            badge=badge,
        )
    with fact_side:
        change = float(np.abs(found.logits - alone.logits).max())
        st.markdown(
            f"**{VERSIONS[variant][0].upper()}{VERSIONS[variant][1:]}**, after {shown.step} steps\n"
            f"- Each row of weights adds up to **{_span(found.row_sums)}**; there are {len(ids) + n_padding} source "
            "tokens, padding included.\n"
            f"- Largest difference between two letters in a row: **{found.unevenness:.3f}**.\n"
            "- How much the first scores depend on the encoder's states (largest derivative): "
            f"**{_small(found.asked)}**{'. The encoder is never asked' if found.asked == 0 else ''}.\n"
            f"- Weight on padding, mean of the rows: **{found.on_padding:.3f}**. Padding changes the **logits**, the "
            f"scores of the letters, by up to **{_small(change)}**."
            + (
                f"\n- On its own it writes **{''.join(task.LETTERS[i] for i in said_ids)}**; right is "
                f"{''.join(signs[::-1])}."
                if is_open
                else ""
            )
        )
        if repairs.encoder:
            st.caption("A weight beside its ring is fine: each encoder state has also read the letters around it.")
        st.markdown(elsewhere)  # a caption is too faint for code
    return found


def strings(ids: list[int], n_padding: int) -> task.Strings:
    """The learner's string as a batch of one."""
    source = torch.tensor([ids + [task.EXTRA] * n_padding])
    return task.reversal(source, torch.tensor([[len(ids)]]))


def read(model: Seq2Seq, ids: list[int], n_padding: int) -> Reading:
    """The weights while the string is written backwards."""
    one = strings(ids, n_padding)
    return look.read(model, one.source[0], one.target_in[0, : len(ids)], one.mask[0])


def _truth(n_letter: int, n_padding: int) -> NDArray[np.bool_]:
    """(T, S), True at the letter that each step needs: the last one first."""
    truth = np.zeros((n_letter, n_letter + n_padding), dtype=bool)
    truth[np.arange(n_letter), n_letter - 1 - np.arange(n_letter)] = True
    return truth


def _span(values: Any) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:.3f}" if high - low < 5e-4 else f"{low:.3f} to {high:.3f}"


def _small(value: float) -> str:
    if value >= 1e-3 or value == 0:
        return f"{value:.3f}"
    return power_of_ten(value) if depth.at_least("numbers") else "less than 0.001"
