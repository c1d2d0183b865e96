"""Causal, padding, prefix, window, full, cross, and what they become together: mask, scores, weights."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import MAX_TRACES, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.inspect.tap_lines import line_of
from core.nn import masks
from core.nn.attention import masked_softmax
from core.rooms.masks.compute import masks as masked
from core.rooms.masks.compute.masks import MaskedHead
from core.rooms.masks.inputs import scale_limits
from core.rooms.masks.mask_editor_widget import MAX_TOKENS
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.padding import PADDING, pad_id, room_for_padding
from core.ui.numbers import power_of_ten
from core.ui.widgets import badges, widgets
from core.ui.widgets.badge import Badge

MOST_PADDING = 8  # more would make the cells of the real tokens too small to tell apart
OTHER_TEXT = "Anna had a red ball."
TWO_TEXTS = "The queries are from one text and the keys from another; the second pass reads one text at a time."
READS = {"self": "This text itself", "cross": "Another text (cross-attention)"}
HOW = {"and": "and (&)", "or": "or (|)"}
KINDS = {
    "Full": ("full", "every token reads every token, as in an encoder"),
    "Causal": ("causal", "no token reads what comes later, as in a model that writes"),
    "Padding": ("padding", "no token reads the ones that only fill the line"),
    "Prefix": ("prefix", "the first tokens see one another fully, the rest is causal"),
    "Sliding window": ("window", "each token reads itself and the few right before it"),
    "Two-sided window": ("band", "each token reads its neighbors on both sides"),
}


def warm_up() -> None:
    """Look at the default model once: torch imports hundreds of modules only when it is first used."""
    key = models.shipped_key()
    packed = models.encode(key, models.SENTENCES[models.DEFAULT], MAX_TOKENS).packed
    self_attention(key, packed, ("causal",), "and", 1, 1, 1, 0, 0)


@memoize(MAX_TRACES)
def self_attention(
    key: ModelKey,
    packed: str,
    kinds: tuple[str, ...],
    how: str,
    n_padding: int,
    n_prefix: int,
    window: int,
    layer: int,
    head: int,
) -> MaskedHead:
    """One head of the model that runs under the combined mask in every layer."""
    ids = models.unpack(packed)
    n_real = len(ids)
    ids += [pad_id(key)] * n_padding
    mask = masked.combine(kinds, len(ids), n_real=n_real, n_prefix=n_prefix, window=window, how=how)
    return masked.head_under(models.reader(key), ids, mask, layer, head)


@memoize(MAX_TRACES)
def cross_attention(key: ModelKey, packed: str, memory: str, n_padding: int, layer: int, head: int) -> MaskedHead:
    """The queries of one text against the keys of another one, whose padding is hidden."""
    ids = models.unpack(memory)
    padded = ids + [pad_id(key)] * n_padding
    return masked.cross_head(models.reader(key), models.unpack(packed), padded, len(ids), layer, head)


@exhibit(
    title="Kinds of masks, alone and together",
    look_for="the hatched cells. They're blocked: their score becomes minus infinity, so their weight is exactly 0, "
    "and the open cells share the whole row.",
    try_this=[
        (
            "Switch from “and” to “or”, with Causal and Padding still chosen.",
            "Now a cell is open if either mask opens it: 244 of 289 instead of 147. Real tokens read the future, and "
            "padding reads padding. Combine masks that forbid with “and”.",
        ),
        (
            "Choose Prefix and Padding, and move the length of the prefix from 0 to the end.",
            "At 0 it's the **causal mask**, which hides everything later. A full square grows from the corner until "
            "every token reads every real token: an encoder.",
        ),
        (
            "Choose “Another text”.",
            "Rows are now this text, columns the other. “Later” means nothing between two texts, so only padding is "
            "hidden.",
        ),
    ],
    code=(
        masks.causal,
        masks.padding,
        masks.prefix,
        masks.sliding_window,
        masked.combine,
        masked_softmax,
        masked.run_under,
    ),
    formula=r"w_{ts} = \frac{m_{ts}\,e^{\text{score}_{ts}}}{\sum_{r} m_{tr}\,e^{\text{score}_{tr}}}"
    r"\qquad m_{ts} = 1 \text{ where } t \text{ may read } s, \text{ else } 0",
)
def kinds_of_masks(looked: ModelAndText, layer: int, head: int) -> Shown:
    """The controls, then mask, scores before and after, weights."""
    reads = controls.segmented("mask_reads", "The text reads", list(READS), "self", labels=READS)
    asked = _self(looked, layer, head) if reads == "self" else _cross(looked, layer, head)
    if asked is None:
        return Shown()
    shown, rows, columns, content, script = asked
    _verdict(shown)
    badge = partial(_badge if reads == "self" else _cross_badge, looked, layer, head, shown)
    _pictures(shown, rows, columns, content, badge)
    depth.note(
        "**A trap.** Here, and in torch's `scaled_dot_product_attention`, True means “may attend”. In torch's "
        "`nn.MultiheadAttention` and `nn.Transformer` True means “blocked”, so you must invert the mask there "
        "(`~mask`). Nothing warns you: the model simply reads exactly what you meant to hide."
    )
    return Shown(
        numbers=lambda: shown.table(rows, columns),
        arrays={"mask": shown.mask, "scores": shown.scores, "weights": shown.weights},
        formula=_with_numbers(shown, len(looked.encoded.ids)),
        script=script,
    )


# The head, tokens of rows and columns, what the pictures show, and the script that computes it.
Asked = tuple[MaskedHead, tuple[str, ...], tuple[str, ...], str, Callable[[], str]]


def _self(looked: ModelAndText, layer: int, head: int) -> Asked:
    """Which masks, how combined and how large."""
    n_token = len(looked.encoded.ids)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        names = controls.several("mask_kinds", "Masks", list(KINDS), ("Causal", "Padding"))
    with right:
        how = controls.segmented(
            "mask_how",
            "Combined with",
            list(HOW),
            "and",
            labels=HOW,
            help="“and”: a cell is open if every chosen mask opens it; “or”: if at least one does.",
        )
    kinds = tuple(KINDS[name][0] for name in names)
    with st.container(horizontal=True, key="mask-sizes"):
        most = room_for_padding(looked.key, n_token, MOST_PADDING)
        n_padding = int(controls.slider("mask_padding", "Padding tokens after the text", 0, most, min(3, most), step=1))
        n_all = n_token + n_padding
        n_prefix, window = min(4, n_token), min(3, n_all)
        if "prefix" in kinds:
            n_prefix = int(controls.slider("mask_prefix", "Length of the prefix", 0, n_token, n_prefix, step=1))
        if {"window", "band"} & set(kinds):
            window = int(controls.slider("mask_window", "Size of the window", 1, n_all, window, step=1))
    said = "; ".join(f"**{name}**: {KINDS[name][1]}" for name in names)
    st.caption(said + "." if said else "No mask: every token reads every token.")
    tokens = (*looked.encoded.tokens, *[PADDING] * n_padding)
    wanted = (looked.encoded.packed, kinds, how, n_padding, n_prefix, window, layer, head)
    with models.patience(looked.key, "Reading the text under the mask …"):
        shown = self_attention(looked.key, *wanted)
    return shown, tokens, tokens, content_key(*tokens)[:12], lambda: _self_script(looked, wanted)


def _self_script(looked: ModelAndText, wanted: tuple[Any, ...]) -> str:
    _, kinds, how, n_padding, n_prefix, window, layer, head = wanted
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.masks.compute import masks
        from core.inspect.readers import reader_of
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        ids = $ids
        padded = ids + [$pad] * $n_padding
        tokens = tokenizer.tokens(ids) + [$padding] * $n_padding

        # One mask out of several, put in place of the model's own in every layer.
        mask = masks.combine(
            $kinds, len(padded), n_real=len(ids), n_prefix=$n_prefix, window=$window, how=$how
        )
        head = masks.head_under(model, padded, mask, layer=$layer, head=$head)
        print_table(head.table(tokens, tokens))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        pad=pad_id(looked.key),
        padding=PADDING,
        n_padding=n_padding,
        kinds=kinds,
        n_prefix=n_prefix,
        window=window,
        how=how,
        layer=layer,
        head=head,
    )


def _cross(looked: ModelAndText, layer: int, head: int) -> Asked | None:
    """Which other text."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        text = controls.text_input("mask_memory", "The other text, whose tokens are the keys", OTHER_TEXT)
        other = models.encode(looked.key, text, MAX_TOKENS)
        models.show_notes(other, looked.key, "mask_memory", text)
    if not other.ids:
        st.info("The other text is empty. Type a word or more.")
        return None
    with right:
        most = room_for_padding(looked.key, len(other.ids), MOST_PADDING)
        n_padding = int(controls.slider("mask_padding", "Padding tokens after the text", 0, most, min(3, most), step=1))
    st.caption(
        "The first text's tokens read the second text's, with this head. The model was trained on one text at a time "
        "and never learned to do this; a model that translates or captions does."
    )
    wanted = (looked.encoded.packed, other.packed, n_padding, layer, head)
    columns = (*other.tokens, *[PADDING] * n_padding)
    with models.patience(looked.key, "Reading both texts …"):
        shown = cross_attention(looked.key, *wanted)
    content = content_key(*looked.encoded.tokens, "cross", *columns)[:12]
    script = partial(_cross_script, looked, ModelAndText(looked.key, other), n_padding, layer, head)
    return shown, looked.encoded.tokens, columns, content, script


def _cross_script(looked: ModelAndText, other: ModelAndText, n_padding: int, layer: int, head: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.masks.compute import masks
        from core.inspect.readers import reader_of
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        asks = $asks
        reads = $reads

        # Queries of one text, keys of the other, whose padding is hidden.
        padded = reads + [$pad] * $n_padding
        head = masks.cross_head(model, asks, padded, n_real=len(reads), layer=$layer, head=$head)
        print_table(head.table(tokenizer.tokens(asks), tokenizer.tokens(reads) + [$padding] * $n_padding))
        """,
        folder=scripts.folder(looked.key),
        asks=scripts.ids(looked),
        reads=scripts.ids(other),
        pad=pad_id(looked.key),
        padding=PADDING,
        n_padding=n_padding,
        layer=layer,
        head=head,
    )


def _verdict(shown: MaskedHead) -> None:
    sums, empty = shown.row_sums, ~shown.mask.any(-1)
    share = f"**{int(shown.mask.sum())} of {shown.mask.size}** {_are(shown.mask.size)} open."
    if empty.any():
        share += f" {int(empty.sum())} rows may read nothing, so they're all zeros."
    full = sums[~empty]
    if full.size:
        off = float(np.abs(full - 1).max())
        which = "every other" if empty.any() else "each"
        share += f" The weights of {which} row sum to 1{_rounded(off)}."
    st.markdown(share)


def _rounded(off: float) -> str:
    if off == 0:
        return " exactly"
    return f", up to rounding{f' ({power_of_ten(off)})' if depth.at_least('numbers') else ''}"


def _badge(looked: ModelAndText, layer: int, head: int, shown: MaskedHead, what: str) -> Badge | None:
    ids = models.unpack(looked.encoded.packed)
    ids += [pad_id(looked.key)] * (len(shown.mask) - len(ids))
    return badges.of_masked(looked.key, ids, shown.mask, what, layer, head)


def _cross_badge(looked: ModelAndText, layer: int, head: int, shown: MaskedHead, what: str) -> Badge:
    """Queries of one text and keys of another: of the model's tensors, but none of them."""
    words = "weights = masked_softmax" if what == "weights" else "scores = attention_scores"
    made = badges.Derived(line_of(masked.cross_head, words), why_not=TWO_TEXTS, option=f"{layer}.{head}")
    values = shown.weights if what == "weights" else shown.scores
    at = (looked.key, looked.encoded.packed)
    return badges.of_key(*at, f"cross_head.{what}", ("row", "column"), values, derived=made)


def _pictures(
    shown: MaskedHead,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    content: str,
    badge: Callable[[str], Badge | None],
) -> None:
    limits = scale_limits(float(np.abs(shown.scores).max()))
    first, second = layout.pair("kinds-top")
    third, fourth = layout.pair("kinds-bottom")
    open_cells: NDArray[np.float32] = shown.mask.astype(np.float32)
    n_open = int(shown.mask.sum())
    with first:
        widgets.matrix(
            open_cells,
            rows=rows,
            columns=columns,
            key=f"kinds.mask:{content}",
            mask=shown.mask,
            value_title="may attend",
            height=380,
            label="1 · The mask: solid may be read",
            takeaway=f"The mask: {n_open} of {shown.mask.size} {_are(shown.mask.size)} open.",
        )
    hatched = "is −∞" if depth.at_least("numbers") else "does not count"
    for place, name, mask, label in (
        (second, "before", None, "2 · Scores before the mask"),
        (
            third,
            "after",
            shown.mask,
            f"3 · Scores after: hatched {hatched}",
        ),
    ):
        with place:
            widgets.matrix(
                shown.scores,
                rows=rows,
                columns=columns,
                key=f"kinds.{name}:{content}",
                kind="signed",
                mask=mask,
                limits=limits,
                value_title="score",
                height=380,
                label=label,
                badge=badge("scores"),
            )
    with fourth:
        widgets.matrix(
            shown.weights,
            rows=rows,
            columns=columns,
            key=f"kinds.weights:{content}",
            mask=shown.mask,
            height=380,
            label="4 · Weights after the softmax",
            badge=badge("weights"),
        )


def _with_numbers(shown: MaskedHead, n_real: int) -> str:
    """The formula for the strongest cell of the last real token that may read something."""
    row = int(np.flatnonzero(shown.mask[:n_real].any(-1))[-1])
    column = int(shown.weights[row].argmax())
    exps = np.exp(shown.scores[row].astype(np.float64))
    total, n_open = float(exps[shown.mask[row]].sum()), int(shown.mask[row].sum())
    return (
        rf"w_{{{row},{column}}} = \frac{{e^{{{shown.scores[row, column]:.3f}}}}}"
        rf"{{\text{{sum over the }} {n_open} \text{{ open cells of row }} {row}}}"
        rf" = \frac{{{exps[column]:.3f}}}{{{total:.3f}}} = {exps[column] / total:.4f}"
    )


def _are(n_cell: int) -> str:
    return "cell is" if n_cell == 1 else "cells are"
