"""Draw a mask yourself: what arrives where through several layers, and what the model makes of it."""

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from core.cache import MAX_TRACES, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.inspect.tap_lines import line_of
from core.nn import masks
from core.nn.attention import masked_softmax
from core.rooms.masks.compute import masks as masked
from core.rooms.masks.compute.masks import MaskedHead
from core.rooms.masks.compute.reach import layers_needed, measured_reach, reach, reach_table
from core.rooms.masks.mask_editor_widget import (
    MAX_LAYERS,
    Drawn,
    from_address,
    from_browser,
    from_hex,
    mask_editor,
    to_address,
    to_hex,
)
from core.ui.controls import controls, picks
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.text import escape_markdown, plural
from core.ui.widgets import badges, widgets

PICTURE = "draw.mask"
MEASURED = (
    "This was measured: the text was read again for each replaced token. The second pass only reads the text as it is."
)
WINDOW = 3  # the mask to begin with: short enough that each further layer brings something new


@memoize(MAX_TRACES)
def head_under(key: ModelKey, packed: str, cells: str, layer: int, head: int) -> MaskedHead:
    """One head of the model that runs under the drawn mask in every layer."""
    ids = models.unpack(packed)
    return masked.head_under(models.reader(key), ids, _mask(cells, len(ids)), layer, head)


@memoize(MAX_TRACES)
def arrived(key: ModelKey, packed: str, cells: str) -> NDArray[np.float64]:
    """What moves in the model's last layer when one token after the other is replaced."""
    ids = models.unpack(packed)
    return measured_reach(models.reader(key), ids, _mask(cells, len(ids)))


@exhibit(
    title="Draw your own mask",
    look_for="the right picture. One layer brings a row what its open cells hold; the next brings what those had read. "
    "So information travels further than the mask of one layer allows.",
    try_this=[
        (
            "Move the layers from 1 to 4.",
            "Each layer reaches 2 tokens further back. That's how models with a short window read long texts.",
        ),
        (
            "Do the same with windows of other sizes.",
            "A window of w through L layers reaches L·(w − 1) tokens back.",
            "formula",
        ),
        (
            "Press None, then open a single cell.",
            "Every other row may read nothing, and the model goes on: those rows write zeros, so their tokens keep the "
            "vectors they had. A plain softmax would give “nan”, not a number.",
        ),
        (
            "Press Causal, then open one cell above the diagonal.",
            "One hole is enough: its row reads the future, and so does every later row that reads it. Count the new "
            "cells on the right.",
        ),
    ],
    code=(reach, layers_needed, measured_reach, masked.run_under, masked_softmax),
    formula=r"\text{reach through } L \text{ layers} = (M \lor I)^L \qquad M\text{: the mask},\ "
    r"I\text{: each token keeps itself}",
)
def draw_your_own(looked: ModelAndText, layer: int, head: int) -> Shown:
    """The editor, then the model under the drawn mask."""
    tokens, packed = looked.encoded.tokens, looked.encoded.packed
    first = masks.sliding_window(len(tokens), WINDOW).numpy()
    content = str(len(tokens))
    if picks.has_changed(PICTURE, content):
        picks.remember("drawn", None)  # a mask belongs to its number of tokens
    drawn = _drawn(first, content, looked)
    mask_editor(
        drawn, first, tokens=tokens, key=picks.key(PICTURE, content), label="Your mask, and what it lets through"
    )
    cells = to_hex(drawn.mask)
    with models.patience(looked.key, "Reading the text under the mask …"):
        shown = head_under(looked.key, packed, cells, layer, head)
    changes = _measure(looked, cells)
    n_layer = int(models.load(looked.key).config.n_layer)
    has_residual = bool(models.load(looked.key).config.block.residual)
    expected = reach(drawn.mask, n_layer, has_residual)
    if changes is not None:
        _compare(expected, changes > 0, n_layer)
    _tell_empty(shown, tokens)
    _pictures(looked, shown, changes, layer, head)
    arrays = {
        "mask": drawn.mask,
        "layers_needed": layers_needed(drawn.mask),
        "weights": shown.weights,
        "scores": shown.scores,
    }
    return Shown(
        numbers=lambda: reach_table(tokens, drawn.mask, changes),
        arrays=arrays if changes is None else arrays | {"changes": changes},
        formula=_with_numbers(drawn),
        script=lambda: _script(looked, drawn.mask, first, is_measured=changes is not None),
    )


def _script(looked: ModelAndText, mask: NDArray[np.bool_], first: NDArray[np.bool_], *, is_measured: bool) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.masks.compute.reach import measured_reach, reach_table
        from core.inspect.readers import reader_of
        from core.models.pretrained import load
        from core.nn import masks

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        ids = $ids

        # Each token reads itself and the two before it; then the cells (row, column) that you opened or closed.
        mask = masks.sliding_window(len(ids), $window)
        for t, s in $turned:
            mask[t, s] = ~mask[t, s]

        # Replace one token after the other and see which outputs of the last layer move.
        changes = $changes
        print_table(reach_table(tokenizer.tokens(ids), mask.numpy(), changes))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        window=WINDOW,
        turned=[tuple(cell) for cell in np.argwhere(mask != first).tolist()],
        changes=scripts.Code("measured_reach(model, ids, mask)" if is_measured else "None  # not asked for"),
    )


def _mask(cells: str, n_token: int) -> torch.Tensor:
    return torch.from_numpy(from_hex(cells, n_token))


def _drawn(first: NDArray[np.bool_], content: str, looked: ModelAndText) -> Drawn:
    """The mask as it stands: the newest stroke, else what the address holds, else a short window."""
    n_token, n_layer = len(first), min(MAX_LAYERS, int(models.load(looked.key).config.n_layer))
    news = picks.news(PICTURE, content, part="drawn")
    if news is not None:
        found = from_browser(news, n_token)
        if found is not None:
            picks.remember("drawn", to_address(found))
            return found
    text = picks.remembered("drawn")
    if text is None:
        return Drawn(first, n_layer)
    try:
        return from_address(text, n_token)
    except ValueError as refused:
        st.warning(f"{escape_markdown(refused)} A window of {WINDOW} is shown.")
        return Drawn(first, n_layer)


def _compare(expected: NDArray[np.bool_], moved: NDArray[np.bool_], n_layer: int) -> None:
    """The rule beside the measurement."""
    layers = "layer" if n_layer == 1 else "layers"
    lost = (
        " Where the rule allows an effect and nothing moves, the weights are so small that rounding loses them."
        if (expected & ~moved).any()
        else ""
    )
    agree = int((expected == moved).sum())
    rest = "and nothing else moves at all" if (moved <= expected).all() else "and some other outputs move too"
    st.markdown(
        f"**The rule, checked on the model.** This mask lets information pass through its {n_layer} {layers} between "
        f"**{int(expected.sum())}** of {plural(expected.size, 'pair')} of tokens. Replacing each token in turn moves "
        f"**{int(moved.sum())}** outputs, {rest}: {agree} of {plural(expected.size, 'pair')} agree.{lost}"
    )


def _tell_empty(shown: MaskedHead, tokens: tuple[str, ...]) -> None:
    """What a row with nothing allowed becomes, here and elsewhere."""
    empty = np.flatnonzero(~shown.mask.any(-1))
    if not len(empty):
        return
    row = int(empty[0])
    plain = torch.full((len(tokens),), -torch.inf).softmax(-1)
    st.info(
        f"**{len(empty)} {'row has' if len(empty) == 1 else 'rows have'} nothing to read**, first row {row} "
        f"“{escape_markdown(tokens[row].strip())}”. Here its weights are all zeros (sum "
        f"{shown.weights[row].sum():.0f}). A plain softmax would divide 0 by 0 and give **{float(plain[0])}**, not a "
        "number, which would spread to every later layer.",
        icon=":material/block:",
    )


def _measure(looked: ModelAndText, cells: str) -> NDArray[np.float64] | None:
    """What really arrives; with a large model only when somebody asks for it, because the text is read anew for each
    of its tokens."""
    if models.is_large(looked.key) and not controls.toggle(
        "draw_measure", "Check the rule on the model: replace each token in turn (some seconds each time)"
    ):
        return None
    with models.patience(looked.key, "Replacing each token in turn …"):
        return arrived(looked.key, looked.encoded.packed, cells)


def _pictures(
    looked: ModelAndText, shown: MaskedHead, changes: NDArray[np.float64] | None, layer: int, head: int
) -> None:
    tokens = looked.encoded.tokens
    content = content_key(*tokens)[:12]
    left, right = layout.pair("draw")
    with left:
        widgets.matrix(
            shown.weights,
            rows=tokens,
            columns=tokens,
            key=f"draw.weights:{content}",
            mask=shown.mask,
            height=380,
            label=f"Layer {layer}, head {head} under your mask",
            badge=badges.of_masked(looked.key, looked.encoded.ids, shown.mask, "weights", layer, head),
        )
    if changes is None:
        return
    with right:
        widgets.matrix(
            changes,
            rows=tokens,
            columns=tokens,
            key=f"draw.changes:{content}",
            kind="value",
            mask=changes > 0,
            row_title="output that moves",
            column_title="token that is replaced",
            value_title="largest change",
            limits=(0.0, max(float(changes.max()), 1e-9)),
            height=380,
            label="Measured: what reaches the last layer",
            badge=badges.of_key(
                looked.key,
                looked.encoded.packed,
                "measured_reach",
                ("row", "column"),
                changes,
                derived=badges.Derived(line_of(measured_reach, "changes[:, s] ="), why_not=MEASURED),
            ),
        )


def _with_numbers(drawn: Drawn) -> str:
    reached = reach(drawn.mask, drawn.n_layer)
    n_open = int((drawn.mask | np.eye(len(drawn.mask), dtype=bool)).sum())
    return (
        rf"M \lor I:\ {n_open} \text{{ cells}} \qquad "
        rf"(M \lor I)^{{{drawn.n_layer}}}:\ {int(reached.sum())} \text{{ of }} {drawn.mask.size}"
    )
