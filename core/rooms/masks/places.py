"""Minus infinity before the softmax, zero before, zero after, zero after and renormalized: two are right."""

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NothingToShow, content_key
from core.inspect.tap_lines import find_source_line
from core.rooms.masks.compute.mask_placement import MASKING_WAYS, MaskingComparison, compare_maskings
from core.rooms.masks.inputs import MaskHeadInputs

LABELS = module_labels(__name__)

WAY_LETTERS = "ABCD"
WAY_NAMES = tuple(LABELS.options("way", *WAY_LETTERS).values())


class Inputs(MaskHeadInputs):
    pass


NEEDS_CHOICES = True
CODE = (*MASKING_WAYS, compare_maskings)


def compute(inputs: Inputs) -> MaskingComparison:
    """Mask the scores of one head in four ways, under the model's own mask."""
    record, may_read = inputs.given.attention, inputs.given.attention.mask_of(inputs.layer)
    if inputs.given.n_token == 1:
        raise NothingToShow(LABELS["one_token"])
    if may_read.all():
        raise NothingToShow(LABELS["no_mask"])
    return compare_maskings(record.scores[inputs.layer, inputs.head], may_read, inputs.given.tokens)


def draw(result: MaskingComparison, inputs: Inputs) -> None:
    """Draw four matrices, their row sums and leaks."""
    tokens, content = result.tokens, content_key(*result.tokens)[:12]
    pairs = [place for name in ("places-top", "places-bottom") for place in ui.two_columns(name, alike=True)]
    for way, (place, name) in enumerate(zip(pairs, WAY_NAMES, strict=True)):
        with place:
            ui.matrix(
                result.weights[way],
                rows=tokens,
                columns=tokens,
                key=f"places.{WAY_LETTERS[way]}:{content}",
                height=190,
                mask=result.mask | (result.weights[way] > 0),
                label=LABELS("way", letter=WAY_LETTERS[way], name=name),
                badge=_badge(inputs, result, way),
            )
    if not ui.depth_at_least("numbers"):
        return
    ui.show_markdown(_table(result))
    leaks = ("leaks.future", "leaks.future.value") if result.hides_future else ("leaks.closed", "leaks.closed.value")
    for place, key, values, label, value in zip(
        ui.two_columns("places-sums"),
        ("sums", "leaks"),
        (result.row_sums, result.leaks),
        (LABELS["sums"], LABELS[leaks[0]]),
        (LABELS["sums.value"], LABELS[leaks[1]]),
        strict=True,
    ):
        with place:
            ui.matrix(
                values.T,
                rows=tokens,
                columns=tuple(WAY_LETTERS),
                key=f"places.{key}:{content}",
                column_title=LABELS["way_column"],
                value_title=value,
                limits=(0, 1),
                height=440,
                label=label,
            )


def _badge(inputs: Inputs, result: MaskingComparison, way: int) -> "ui.ProvenanceBadge":
    """Return the badge: a second pass computes the model's scores, and the four ways of masking are applied here."""
    name, head = f"blocks.{inputs.layer}.attn.scores", inputs.head
    made = ui.badges.TensorDerivation(
        find_source_line(MASKING_WAYS[way], "return"),
        lambda taps: compare_maskings(taps[name][head], result.mask).weights.astype(np.float64),
        option=f"{inputs.layer}.{head}",
    )
    given = inputs.given
    at = (given.key, given.encoded.ids_key)
    return ui.badges.model_tensor_badge(*at, "four_ways", (way, "row", "column"), result.weights, derived=made)


def _table(found: MaskingComparison) -> str:
    lines = [LABELS["table_head"], "|---|---|---|---|"]
    for letter, name, sums, leaks, swayed in zip(
        WAY_LETTERS, WAY_NAMES, found.row_sums, found.leaks, map(float, found.swayed), strict=True
    ):
        leak, span = float(leaks.max()), LABELS("range", least=float(sums.min()), most=float(sums.max()))
        told = "1" if np.allclose(sums, 1, atol=1e-4) else span
        lines.append(f"| **{letter}** {name} | {told} | {'0' if leak == 0 else f'**{leak:.3f}**'} | {_size(swayed)} |")
    return "\n".join(lines)


def _size(swayed: float) -> str:
    if swayed == 0 or swayed >= 1e-5:
        return f"**{swayed:.3f}**" if swayed else "0"
    return ui.format_power_of_ten(swayed)
