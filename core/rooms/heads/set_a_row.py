"""One row of attention set by hand: everything after it is computed anew from the edit."""

import re
from typing import TYPE_CHECKING

import streamlit as st

from core.cache import MAX_TRACES, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.rooms.heads.compute import ablation
from core.rooms.heads.open_head import shown_text
from core.rooms.heads.switch_off import knocked_out, show_intervention
from core.ui.controls import controls, picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.text import escape_markdown
from core.ui.widgets import badges, widgets

if TYPE_CHECKING:
    from core.rooms.heads.compute.ablation import Intervention

Row = tuple[int, tuple[float, ...]]  # (query, its weights)
MAX_ADDRESS = 1_500  # characters of a row in the address: 64 weights of 7 digits and more
_ROW = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,4}):([0-9.,e-]{1,1400})")


@memoize(MAX_TRACES)
def edited(key: ModelKey, packed: str, layer: int, head: int, query: int, weights: tuple[float, ...]) -> "Intervention":
    """One text with and without the row set by hand. Raises ValueError in plain words where it is no row."""
    return ablation.edit_row(models.load(key).model, models.unpack(packed), layer, head, query, weights)


@exhibit(
    title="Set a row of weights yourself",
    look_for="the bars of the next token: your row is computed through every later layer.",
    try_this=[
        (
            "On the stories model with its own text, keep the head the page opens with and press “Only the first "
            "token”.",
            "The last word now reads “Tom” there instead of “Mia”, and the model says “Tom”: it repeats the name that "
            "this head looks at.",
        ),
        (
            "Open the other heads of the layer and press it there.",
            "Hardly anything moves: “Mia” stays above 99%. Now they read a name too, but only one head passes it on.",
        ),
        (
            "Drag a bar under the matrix to the top and press Apply. Then press “Undo”.",
            "Your row is divided by its sum and used; Undo brings back the model's own weights.",
        ),
    ],
    code=(ablation.edit_row, ablation.intervene),
)
def set_a_row(looked: ModelAndText, layer: int, head: int) -> Shown:
    """The editable matrix of the open head, and what follows from the edit."""
    record = models.attention(looked.key, looked.encoded.packed)
    tokens = looked.encoded.tokens
    own = record.weights[layer, head]
    content = content_key(shown_text(looked), layer, head)[:12]
    if picks.has_changed("edit.text", looked.encoded.packed):
        picks.remember("row", None)  # a row belongs to its text
        controls.reset("edits", len(tokens) - 1)
    _take_clicks(layer, head, content)
    row = _kept(layer, head, len(tokens))
    query = _ask_for_row(layer, head, tokens, row)
    with models.patience(looked.key, "Reading the text with and without your row …"):
        result = _intervention(looked, layer, head, row)
    if result is None:
        row, result = None, _untouched(looked)
    badge = badges.of_attention(looked.key, looked.encoded.packed, "weights", layer, head)
    widgets.matrix(
        result.weights_after[layer, head],
        rows=tokens,
        columns=tokens,
        key=picks.key("edit.cell", content),
        mask=record.mask,
        edited_row=None if row is None else row[0],
        selected=(query, int(own[query].argmax())),
        editable=True,
        height=420,
        label=f"Layer {layer}, head {head}: set the chosen row below",
        badge=badge if row is None else badge.edited(),
    )
    show_intervention(
        looked,
        result,
        key="edit",
        nothing="Nothing is edited yet: before and after are the same.",
        changed=row is not None,
    )
    arrays = {
        "weights_before": result.weights_before,
        "weights_after": result.weights_after,
        "probabilities_before": result.probabilities_before,
        "probabilities_after": result.probabilities_after,
    }
    return Shown(
        numbers=lambda: result.row_table(tokens, layer, head, query),
        arrays=arrays,
        script=lambda: _script(looked, layer, head, query, row),
    )


def _script(looked: ModelAndText, layer: int, head: int, query: int, row: Row | None) -> str:
    """The edit computed through; without one, the text as it is."""
    edit = "result = ablation.intervene(model, ids, {})  # no row is set: before and after are the same"
    if row is not None:
        weights = list(row[1][: row[0] + 1])  # no token looks at later ones
        edit = (
            f"weights = {weights}\nshares = [w / sum(weights) for w in weights] + [0.0] * (len(ids) - len(weights))\n"
            f"result = ablation.edit_row(model, ids, {layer}, {head}, query={row[0]}, weights=shares)"
        )
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.heads.compute import ablation
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = found.model, found.tokenizer
        ids = $ids

        # The text twice, untouched and with one row of one head set by hand; all after it is computed anew.
        $edit
        print_table(result.row_table(tokenizer.tokens(ids), layer=$layer, head=$head, query=$query))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        edit=scripts.Code(edit),
        layer=layer,
        head=head,
        query=query,
    )


def _take_clicks(layer: int, head: int, content: str) -> None:
    """What was clicked or applied in the matrix since the last run."""
    if picks.was_cleared("edit.cell", content, "edit"):
        picks.remember("row", None)
    edit = picks.news("edit.cell", content, "edit")
    if edit is not None:
        _keep(layer, head, edit["row"], tuple(edit["weights"]))
        controls.put("edits", edit["row"])
    pick = picks.news("edit.cell", content)
    if pick is not None:
        controls.put("edits", pick["row"])


def _ask_for_row(layer: int, head: int, tokens: tuple[str, ...], row: Row | None) -> int:
    """Whose row to set, and the buttons that set it without a mouse."""
    left, right = st.columns([2, 3], gap="medium", vertical_alignment="bottom")
    with left:
        last = len(tokens) - 1
        query = int(
            controls.slider("edits", "Token whose row to set", 0, last, last if row is None else row[0], step=1)
        )
    n = query + 1
    choices = {
        "Evenly": tuple([1 / n] * n),
        "Only the first token": (1.0, *[0.0] * (n - 1)),
        "Only itself": (*[0.0] * (n - 1), 1.0),
    }
    with right, st.container(horizontal=True):
        for label, weights in choices.items():
            st.button(label, key=f"edit-{label}", on_click=_keep, args=(layer, head, query, weights))
        st.button(
            "Undo",
            key="edit-undo",
            icon=":material/undo:",
            on_click=picks.remember,
            args=("row", None),
            disabled=row is None,
        )
    return query


def _intervention(looked: ModelAndText, layer: int, head: int, row: Row | None) -> "Intervention | None":
    """The edit computed through; None, after plain words, where the row cannot be used."""
    if row is None:
        return _untouched(looked)
    query, weights = row
    total = sum(weights)
    if not total > 0:
        st.warning("Your edit is not used: at least one weight must be above 0, or there would be nothing to read.")
        return None
    if abs(total - 1) > 1e-3:
        st.caption(f"Your weights summed to {total:.3f}; each was divided by that to make shares of 1.")
    shares = tuple(weight / total for weight in weights)
    try:
        return edited(looked.key, looked.encoded.packed, layer, head, query, shares)
    except ValueError as refused:
        st.warning(f"Your edit is not used: {escape_markdown(refused)}.")
        return None


def _untouched(looked: ModelAndText) -> "Intervention":
    return knocked_out(looked.key, looked.encoded.packed, (), "zero")


def _keep(layer: int, head: int, query: int, weights: tuple[float, ...]) -> None:
    """Put the row into the address, where a link finds it again."""
    shown = ",".join(f"{weight:.5g}" for weight in weights[: query + 1])
    picks.remember("row", f"{layer}.{head}.{query}:{shown}")


def _kept(layer: int, head: int, n_token: int) -> Row | None:
    """The row that the address holds for this head, all T weights; None, after plain words, if it is none."""
    text = picks.remembered("row")
    if text is None:
        return None
    found = _ROW.fullmatch(text[:MAX_ADDRESS])
    try:
        at = [int(part) for part in found.groups()[:3]] if found else []
        weights = tuple(float(part) for part in found[4].split(",")) if found else ()
    except ValueError:
        weights = ()
    if not weights or not all(0 <= weight <= 1 for weight in weights) or len(weights) != at[2] + 1 or at[2] >= n_token:
        st.warning("The row of weights in this link doesn't fit the text, so it isn't used.")
        return None
    if at[:2] != [layer, head]:
        return None  # an edit stays with its head
    return at[2], (*weights, *[0.0] * (n_token - len(weights)))
