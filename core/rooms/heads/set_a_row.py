"""One row of attention set by hand; everything after it is recomputed from the edit."""

import re
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NothingToShow, Result, Table, ViewChoice, slider, text_input
from core.rooms.heads.compute import ablation
from core.rooms.heads.compute.ablation import Intervention
from core.rooms.heads.effect import draw_loss_changes, draw_next_token, effect_values
from core.rooms.heads.inputs import PredictionHeadInputs, mask_choice, text_key, why_no_effect

LABELS = module_labels(__name__)

MAX_ADDRESS_LENGTH = 1_500  # characters of a row in the address: at least 64 weights of 7 digits
_ROW = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,4}):([0-9.,e-]{1,1400})")
CODE = (ablation.set_attention_row, ablation.intervene)


class Inputs(PredictionHeadInputs):
    """The edited row as "layer.head.query:weights", where omitted weights are 0; and the row to edit next."""

    row: str = text_input(max_chars=MAX_ADDRESS_LENGTH, view=ViewChoice(scope=text_key, is_drawn=False))
    edits: int = slider(
        0,
        lambda i: i.given.n_token - 1,
        lambda i: i.given.n_token - 1 if (query := parse_row(i).query) is None else query,
        view=ViewChoice(scope=text_key),
    )


class EditedRow(NamedTuple):
    """A row of attention set by hand; if `refused` gives a reason, there is no valid row.

    An edit belongs to its head.
    """

    query: int | None = None
    weights: tuple[float, ...] = ()
    refused: str = ""


def parse_row(inputs: Any) -> EditedRow:
    """Parse the row from the address."""
    if not inputs.row:
        return EditedRow()
    refused = EditedRow(refused=LABELS["refused.link"])
    found = _ROW.fullmatch(inputs.row)
    if found is None:
        return refused
    layer, head, query = map(int, found.groups()[:3])
    try:
        weights = [*map(float, found[4].split(","))]
    except ValueError:
        return refused
    if not all(0 <= weight <= 1 for weight in weights) or len(weights) > query + 1 or query >= inputs.given.n_token:
        return refused
    if (layer, head) != (inputs.layer, inputs.head):
        return EditedRow()
    may_read = inputs.given.attention.mask_of(layer)[query]
    if any(weight and not may for weight, may in zip(weights, may_read, strict=False)):
        return EditedRow(refused=LABELS["refused.closed"])
    if not sum(weights) > 0:
        return EditedRow(refused=LABELS["refused.zero"])
    return EditedRow(query, tuple(weights))


class RowEffect(Result):
    """A text with the model's own weights and with the row set by hand."""

    effect: Intervention
    tokens: tuple[str, ...]
    vocabulary: tuple[str, ...]
    layer: int
    head: int
    query: int
    expected: str  # the most probable next token without the edit
    said: str  # the most probable next token with the edited row

    def table(self) -> Table:
        at = self.layer, self.head, self.query
        return {
            LABELS["key_column"]: list(range(len(self.tokens))),
            LABELS["token"]: list(self.tokens),
            LABELS["weight_before"]: self.effect.weights_before[at],
            LABELS["weight_after"]: self.effect.weights_after[at],
        }


def compute(inputs: Inputs) -> RowEffect:
    """Run the text twice, unchanged and with one row of one head set by hand, recomputing everything after it."""
    given, layer, head, row = inputs.given, inputs.layer, inputs.head, parse_row(inputs)
    if why := why_no_effect(given):
        raise NothingToShow(why)
    if row.query is None:
        effect = ablation.intervene(given.model, given.ids, {}, given.attention)  # nothing is changed
    else:
        shares = np.zeros(given.n_token)
        shares[: len(row.weights)] = np.array(row.weights) / sum(row.weights)
        effect = ablation.set_attention_row(
            given.model, given.ids, layer, head, row.query, shares.tolist(), given.attention
        )
    return RowEffect(
        effect=effect,
        tokens=given.tokens,
        vocabulary=given.vocabulary,
        layer=layer,
        head=head,
        query=inputs.edits,
        expected=given.vocabulary[effect.expected].strip(),
        said=given.vocabulary[effect.now].strip(),
    )


def draw(result: RowEffect, inputs: Inputs) -> None:
    """Draw the editable matrix of the open head, and the consequences of the edit."""
    given, row, at = inputs.given, parse_row(inputs), (inputs.layer, inputs.head)
    if row.refused:
        ui.st.warning(ui.escape_markdown(row.refused))
    effect = ui.compute_in_browser(
        "set_row",
        ui.offer_weights(given.key),
        effect_values(result.effect, inputs, changed=row.query is not None)
        | {
            "weights": result.effect.weights_after[at],
            "edited": row.query,
            "is_edited": row.query is not None,
            "divided": "" if abs(sum(row.weights or (1,)) - 1) < 1e-3 else "divided",
            "total": sum(row.weights),
        },
        layer=ui.choice_ref(inputs.layer),
        head=ui.choice_ref(inputs.head),
        row=ui.choice_ref(inputs.row),
        ids=[*map(int, given.ids)],
        vocabulary=result.vocabulary,
    )
    ui.show_text_section(ui.with_possible_section_names(effect["divided"], "divided", ""), total=effect["total"])
    place, after = ui.st.columns([3, 2], gap="medium")
    with place:
        ui.matrix(
            ui.select_by_choice(given.attention.weights, *at),
            rows=given.tokens,
            columns=given.tokens,
            key="edit.cell",
            mask=mask_choice(inputs),
            edited=ui.EditedMatrix(effect["is_edited"], effect["weights"], row=effect["edited"]),
            selected=(inputs.edits, ui.select_by_choice(given.attention.weights.argmax(-1), *at, inputs.edits)),
            click_sets={"row": inputs.edits},
            editable=(inputs.row, ui.for_each_option("{}.{}".format, *at)),
            height=300,
            label=ui.for_each_option(lambda layer, head: LABELS("title", layer=layer, head=head), *at),
            badge=ui.for_each_option(
                partial(ui.badges.attention_provenance_badge, given.key, given.encoded.ids_key, "weights"), *at
            ),
        )
    with after:
        draw_next_token(effect, key="edit")
        draw_loss_changes(effect, inputs, key="edit")
