"""Causal, padding, prefix, window, full and cross masks, and their combination: mask, scores, weights."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NothingToShow, content_key, multi_select, segmented_control, slider, text_input
from core.inspect.block_differences import describe_windows
from core.inspect.model_inputs.model_and_text import PADDING_TOKEN, pad_id, room_for_padding
from core.inspect.tap_lines import find_source_line
from core.nn import masks
from core.nn.attention import masked_softmax
from core.rooms.masks.compute import masks as masked
from core.rooms.masks.compute.masks import MaskedHeads
from core.rooms.masks.inputs import MAX_TOKENS, MaskHeadInputs

MOST_PADDING = 8  # more would make the cells of the real tokens too small to distinguish
MASK_KINDS = ("full", "causal", "padding", "prefix", "window", "band")
LABELS = module_labels(__name__)
WARM_UP = True
CODE = (
    masks.causal,
    masks.padding,
    masks.prefix,
    masks.sliding_window,
    masked.combine_masks,
    masked_softmax,
    masked.run_with_mask,
)


class Inputs(MaskHeadInputs, prefix="mask_"):
    reads: str = segmented_control(("self", "cross"), "self")
    memory: str = text_input(
        "Anna had a red ball.",
        read_by="given",
        most=MAX_TOKENS,
        when=lambda i: i.reads == "cross",
    )
    kinds: tuple[str, ...] = multi_select(MASK_KINDS, ("causal", "padding"), when=lambda i: i.reads == "self")
    how: str = segmented_control(
        ("and", "or"),
        "and",
        when=lambda i: i.reads == "self",
    )
    padding: int = slider(0, lambda i: _max_padding(i), 3)
    prefix: int = slider(
        0,
        lambda i: i.given.n_token,
        4,
        when=lambda i: i.reads == "self" and "prefix" in i.kinds,
    )
    window: int = slider(
        1,
        lambda i: i.given.n_token + i.padding,
        3,
        when=lambda i: i.reads == "self" and not {"window", "band"}.isdisjoint(i.kinds),
    )


def _max_padding(inputs: Inputs) -> int:
    """Return how much padding fits in the model's context."""
    read = inputs.given if inputs.reads == "self" else inputs.given.other(inputs.memory, MAX_TOKENS)
    return room_for_padding(inputs.given.key, read.n_token, MOST_PADDING)


def compute(inputs: Inputs) -> MaskedHeads:
    """Run one head of the model under the combined mask in every layer, or let it read a second text."""
    given, padding = inputs.given, inputs.padding
    if inputs.reads == "self":
        ids, tokens = [*given.ids, *[pad_id(given.key)] * padding], (*given.tokens, *[PADDING_TOKEN] * padding)
        sizes = {"n_real": given.n_token, "n_prefix": inputs.prefix, "window": inputs.window}
        mask = masked.combine_masks(inputs.kinds, len(ids), how=inputs.how, **sizes)
        return masked.heads_with_mask(given.model, ids, mask, inputs.layer, inputs.head, tokens)
    other = given.other(inputs.memory, MAX_TOKENS)
    if not other.ids:
        raise NothingToShow(LABELS["no_text"])
    padded, columns = [*other.ids, *[pad_id(given.key)] * padding], (*other.tokens, *[PADDING_TOKEN] * padding)
    return masked.cross_attention_heads(
        given.model, given.ids, padded, other.n_token, inputs.layer, inputs.head, given.tokens, columns
    )


def draw(result: MaskedHeads, inputs: Inputs) -> None:
    """Draw scores and mask, the masked scores, and the resulting weights."""
    kind_names = {kind: LABELS[f"kinds.{kind}"] for kind in inputs.kinds}
    ui.add_template_values(
        windows=describe_windows(inputs.given.config), kind_names=kind_names, said=LABELS.options("said")
    )
    content, at = content_key(*result.rows, inputs.reads, *result.columns)[:12], (inputs.layer, inputs.head)
    hatched = "−∞" if ui.depth_at_least("numbers") else LABELS["closed"]
    shape: dict[str, Any] = {"rows": result.rows, "columns": result.columns, "height": 190, "empty_title": hatched}
    signed: dict[str, Any] = {**shape, "kind": "signed", "value_title": LABELS["score"]}
    scores, weights = (ui.select_by_choice(one, *at) for one in (result.all_scores, result.all_weights))
    badges = {what: ui.for_each_option(partial(_badge, inputs, result, what), *at) for what in ("scores", "weights")}
    first, second = ui.two_columns("kinds-top", alike=True)
    third, fourth = ui.two_columns("kinds-bottom", alike=True)
    with first:
        ui.matrix(scores, key=f"kinds.before:{content}", mask=None, label=LABELS["scores"], **signed)
    with second:
        ui.matrix(
            result.mask.astype(np.float32),
            key=f"kinds.mask:{content}",
            mask=result.mask,
            value_title=LABELS["may_attend"],
            label=LABELS["mask"],
            takeaway=ui.section_text("takeaway"),
            **shape,
        )
    with third:
        ui.matrix(
            scores,
            key=f"kinds.after:{content}",
            mask=result.mask,
            limits=ui.map_choices(_range, scores),  # the same colors as for all scores
            label=LABELS["masked_scores"],
            badge=badges["scores"],
            **signed,
        )
    with fourth:
        label, badge = LABELS["weights"], badges["weights"]
        ui.matrix(weights, key=f"kinds.weights:{content}", mask=result.mask, label=label, badge=badge, **shape)


def _range(scores: NDArray[np.floating]) -> tuple[float, float]:
    most = float(np.abs(scores).max()) or 1.0
    return -most, most


def _badge(inputs: Inputs, result: MaskedHeads, what: str, layer: int, head: int) -> "ui.ProvenanceBadge | None":
    given = inputs.given
    if inputs.reads == "self":
        ids = [*given.ids, *[pad_id(given.key)] * inputs.padding]
        return ui.badges.custom_mask_attention_badge(given.key, ids, result.mask, what, layer, head)
    # Queries of one text and keys of another: computed from the model's tensors, but not one of them.
    line = find_source_line(
        masked.cross_attention_heads, "weights = masked_softmax" if what == "weights" else "scores = attention_scores"
    )
    made = ui.badges.TensorDerivation(line, why_unchecked=ui.section_text("two-texts"), option=f"{layer}.{head}")
    values = (result.all_weights if what == "weights" else result.all_scores)[layer, head]
    at = (given.key, given.encoded.ids_key)
    return ui.badges.model_tensor_badge(*at, f"cross_heads.{what}", ("row", "column"), values, derived=made)
