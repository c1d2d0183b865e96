"""One row of attention set by hand: everything after it is computed anew from the edit."""

import re
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from core import ui
from core.cache import content_key
from core.inputs import Look, NothingToShow, custom, slider
from core.rooms.heads.compute import ablation
from core.rooms.heads.compute.ablation import Intervention
from core.rooms.heads.effect import draw_losses, draw_next
from core.rooms.heads.inputs import PredictedHead, of_text, why_no_effect

MAX_ADDRESS = 1_500  # characters of a row in the address: 64 weights of 7 digits and more
_ROW = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,4}):([0-9.,e-]{1,1400})")
NEEDS_CHOICES = True
CODE = (ablation.edit_row, ablation.intervene)


class Inputs(PredictedHead):
    """The row that was set, as its query and the weights up to that; and the row to set next."""

    row: tuple[Any, ...] = custom(f"{__name__}:ask_row", (), inputs=lambda i: i)
    edits: int = slider(
        "Token whose row to set",
        0,
        lambda i: i.given.n_token - 1,
        lambda i: i.row[0] if i.row else i.given.n_token - 1,
        look=Look(within=of_text),
    )


def ask_row(inputs: Any) -> tuple[Any, ...]:
    """What was clicked, dragged or set by a button in the matrix; the address holds the row of weights."""
    content = _content(inputs)
    if ui.picks.has_changed("edit.text", inputs.given.encoded.packed):
        ui.picks.remember("row", None)  # a row belongs to its text
    if ui.picks.was_cleared("edit.cell", content, "edit"):
        ui.picks.remember("row", None)
    edit = ui.picks.news("edit.cell", content, "edit")
    if edit is not None:
        _keep(inputs, edit["row"], edit["weights"])
    text = ui.picks.remembered("row")
    try:
        return () if text is None else _read(text, inputs)
    except ValueError as refused:
        ui.st.warning(ui.escape_markdown(refused))
        return ()


def _content(inputs: Any) -> str:
    return content_key(inputs.given.content, inputs.layer, inputs.head)[:12]


def _keep(inputs: Any, query: int, weights: Any) -> None:
    """Put the row into the address, where a link finds it again."""
    values = ",".join(f"{weight:.5g}" for weight in weights[: query + 1])
    ui.picks.remember("row", f"{inputs.layer}.{inputs.head}.{query}:{values}")


def _read(text: str, inputs: Any) -> tuple[Any, ...]:
    """The query and its weights in the address, () for those of another head. Raises ValueError in plain words."""
    found = _ROW.fullmatch(text[:MAX_ADDRESS])
    refused = ValueError("The row of weights in this link doesn't fit the text, so it isn't used.")
    try:
        layer, head, query, *weights = (
            [*map(int, found.groups()[:3]), *map(float, found[4].split(","))] if found else []
        )
    except ValueError:
        raise refused from None
    if not all(0 <= weight <= 1 for weight in weights) or len(weights) != query + 1 or query >= inputs.given.n_token:
        raise refused
    if (layer, head) != (inputs.layer, inputs.head):
        return ()  # an edit stays with its head
    if not sum(weights) > 0:
        raise ValueError(
            "Your edit is not used: at least one weight must be above 0, or there would be nothing to read."
        )
    return int(query), tuple(weights)


@dataclass(frozen=True)
class Result:
    """A text with the model's own weights and with the row set by hand."""

    effect: Intervention
    tokens: tuple[str, ...]
    vocabulary: tuple[str, ...]
    layer: int
    head: int
    query: int

    @property
    def expected(self) -> str:
        """The token that the untouched model finds likeliest next."""
        return self.vocabulary[self.effect.expected].strip()

    @property
    def said(self) -> str:
        """The one that it finds likeliest with the row as it was set."""
        return self.vocabulary[self.effect.now].strip()

    def table(self) -> dict[str, Any]:
        """The row before and after."""
        at = self.layer, self.head, self.query
        return {
            "key": list(range(len(self.tokens))),
            "token": list(self.tokens),
            "weight before": self.effect.weights_before[at],
            "weight after": self.effect.weights_after[at],
        }


def compute(inputs: Inputs) -> Result:
    """The text twice, untouched and with one row of one head set by hand; all after it is computed anew."""
    given, layer, head = inputs.given, inputs.layer, inputs.head
    if why := why_no_effect(given):
        raise NothingToShow(why)
    if inputs.row:
        query, weights = inputs.row
        shares = [weight / sum(weights) for weight in weights] + [0.0] * (given.n_token - len(weights))
        effect = ablation.edit_row(given.model, given.ids, layer, head, query, shares, given.attention)
    else:
        effect = ablation.intervene(given.model, given.ids, {}, given.attention)  # nothing is changed
    return Result(effect, given.tokens, given.vocabulary, layer, head, inputs.edits)


def draw(result: Result, inputs: Inputs) -> None:
    """The editable matrix of the open head, and what follows from the edit."""
    given, layer, head, query = inputs.given, inputs.layer, inputs.head, ui.chosen("edits")
    rail = ui.beside()
    with nullcontext() if rail is None else rail.controls:
        _buttons(inputs)
    total = sum(inputs.row[1]) if inputs.row else 1.0
    if abs(total - 1) > 1e-3:
        ui.say("divided", total=total)
    badge = ui.badges.of_attention(given.key, given.encoded.packed, "weights", layer, head)
    row, after = ui.st.columns([3, 2], gap="medium")
    with row:
        ui.matrix(
            result.effect.weights_after[layer, head],
            rows=given.tokens,
            columns=given.tokens,
            key=ui.picks.key("edit.cell", _content(inputs)),
            mask=given.attention.mask,
            edited_row=inputs.row[0] if inputs.row else None,
            selected=(query, ui.along(result.effect.weights_before[layer, head].argmax(-1).tolist(), "edits")),
            chooses={"row": query.name},
            editable=True,
            height=300,
            label=f"Layer {layer}, head {head}: set the chosen row below",
            badge=badge.edited() if inputs.row else badge,
        )
    with after:
        draw_next(result.effect, inputs, key="edit", changed=bool(inputs.row))
        draw_losses(result.effect, inputs, key="edit")


def _buttons(inputs: Inputs) -> None:
    """They set the row without a mouse."""
    query, rest = inputs.edits, [0.0] * inputs.edits
    rows = {
        "Evenly": [1 / (query + 1)] * (query + 1),
        "Only the first token": [1.0, *rest],
        "Only itself": [*rest, 1.0],
    }
    with ui.st.container(horizontal=True):
        for label, weights in rows.items():
            ui.st.button(label, key=f"edit-{label}", on_click=_keep, args=(inputs, query, weights))
        ui.st.button(
            "Undo",
            key="edit-undo",
            icon=":material/undo:",
            on_click=ui.picks.remember,
            args=("row", None),
            disabled=not inputs.row,
        )
