"""Draw a mask yourself: what arrives where through several layers, and what the model makes of it."""

from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.exhibit import Look, content_key, text_input, toggle
from core.inspect.block_differences import windows_in_words
from core.inspect.reading.model_and_text import is_large
from core.inspect.tap_lines import line_of
from core.inspect.trace import is_exact
from core.nn import masks
from core.nn.attention import masked_softmax
from core.rooms.masks.compute import masks as masked
from core.rooms.masks.compute.drawn_mask import MAX_LAYERS, Drawn, from_address, to_address
from core.rooms.masks.compute.reach import DrawnRecord, layers_needed, measured_reach, reach
from core.rooms.masks.inputs import Head

WINDOW = 3  # the mask to begin with: short enough that each further layer brings something new
CODE = (reach, layers_needed, measured_reach, masked.run_under, masked_softmax)


def first(given: Any) -> str:
    """The mask to begin with, as an address has it."""
    mask = masks.sliding_window(given.n_token, WINDOW).numpy()
    return to_address(Drawn(mask, min(MAX_LAYERS, int(given.config.n_layer))))


class Inputs(Head):
    """The drawing, and whether the rule is checked on the model, whose text is then read anew for each token."""

    drawn: str = text_input(
        "Mask",
        lambda i: first(i.given),
        max_chars=200,
        look=Look(within=lambda i: str(i.given.n_token), is_drawn=False),
    )
    measure: bool = toggle(
        "Check the rule on the model: replace each token in turn (some seconds each time)",
        lambda i: not is_large(i.given.key),
        name="draw_measure",
        when=lambda i: is_large(i.given.key),
    )


def read(inputs: Inputs) -> tuple[Drawn, str]:
    """The mask, and in plain words why it is not the one in the link; "" where it is."""
    n_token = inputs.given.n_token
    try:
        return from_address(inputs.drawn, n_token), ""
    except ValueError as refused:
        return from_address(first(inputs.given), n_token), f"{refused} A window of {WINDOW} is shown."


def compute(inputs: Inputs) -> DrawnRecord:
    """One head of the model that runs under the drawn mask in every layer, and what moves in its last layer."""
    given, (drawn, _) = inputs.given, read(inputs)
    mask, n_layer = torch.from_numpy(drawn.mask), int(given.config.n_layer)
    expected = reach(drawn.mask, n_layer, bool(given.config.block.residual))
    changes = measured_reach(given.model, given.ids, mask) if inputs.measure else None
    moved = np.zeros_like(expected) if changes is None else changes > 0
    return DrawnRecord(
        head=masked.heads_under(given.model, given.ids, mask, inputs.layer, inputs.head, given.tokens),
        n_layer_drawn=drawn.n_layer,
        n_layer=n_layer,
        needed=layers_needed(drawn.mask),
        expected=expected,
        changes=changes,
        moved=moved,
        n_agree=int((expected == moved).sum()),
    )


def parts(result: DrawnRecord) -> dict[str, Any]:
    """All that follows from the mask; `assets/widgets/computed/under_mask.js` computes the same in the browser."""
    head, agree = result.head, result.n_agree
    row = int(np.flatnonzero(~head.mask.any(-1))[0]) if head.n_empty else 0
    told: dict[str, Any] = {
        "is_edited": False,
        "weights": head.weights,
        "open": head.mask,
        "blank": "empty" if head.n_empty else "",
        "n_empty": head.n_empty,
        "row": row,
        "word": head.rows[row].strip() if head.n_empty else "",
        "total": float(head.weights[row].sum()) if head.n_empty else 0,
    }
    if result.changes is None:
        return told | {"rule": ""}
    is_lost = agree < result.expected.size and bool((result.moved <= result.expected).all())
    return told | {
        "rule": "rounded" if is_lost else "rule",
        "n_moved": int(result.moved.sum()),
        "n_expected": int(result.expected.sum()),
        "n_agree": agree,
        "changes": result.changes,
        "moved": result.moved,
        "most": max(float(result.changes.max()), 1e-9),
    }


def draw(result: DrawnRecord, inputs: Inputs) -> None:
    """The editor, then the model under the drawn mask."""
    given, tokens, label = inputs.given, inputs.given.tokens, "Your mask, and what it lets through"
    if why := read(inputs)[1]:
        ui.st.warning(ui.escape_markdown(why))
    ui.widget(
        "mask_editor",
        key="draw.mask",
        rows=tokens,
        drawn=inputs.drawn,
        first=first(given),
        max_layers=MAX_LAYERS,
        label=label,
        takeaway=f"{label}: {ui.plural(len(tokens), 'token')}.",
        chooses={"drawn": inputs.drawn},
    )
    effect = ui.computed(
        "under_mask",
        ui.offer(given.key),
        parts(result),
        drawn=ui.chosen(inputs.drawn),
        layer=ui.chosen(inputs.layer),
        head=ui.chosen(inputs.head),
        first=first(given),
        known=str(inputs.drawn),
        measure=inputs.measure,
        ids=[*map(int, given.ids)],
        tokens=tokens,
    )
    _say(result, inputs, effect)
    if not ui.at_least("numbers"):
        return
    left, right = ui.pair("draw")
    with left:
        _weights(result, inputs, effect)
    if result.changes is not None:
        with right:
            _changes(result.changes, inputs, effect)


def _say(result: DrawnRecord, inputs: Inputs, effect: dict[str, Any]) -> None:
    if windows := windows_in_words(inputs.given.config):
        ui.say("window", windows=windows)
    if result.changes is not None:
        counts = {name: effect[name] for name in ("n_moved", "n_expected", "n_agree")}
        ui.say(ui.named(effect["rule"], "rule", "rounded"), **counts)
        if not is_exact(inputs.given.model):
            ui.say("rounding")
    empty = {name: effect[name] for name in ("n_empty", "row", "word", "total")}
    plain = float(torch.full((len(result.head.rows),), -torch.inf).softmax(-1)[0])
    ui.say(ui.named(effect["blank"], "empty", ""), plain=plain, **empty)


def _weights(result: DrawnRecord, inputs: Inputs, effect: dict[str, Any]) -> None:
    given, mask, at = inputs.given, result.head.mask, (inputs.layer, inputs.head)
    ui.matrix(
        ui.along(result.head.all_weights, *at),
        rows=given.tokens,
        columns=given.tokens,
        height=380,
        key=f"draw.weights:{content_key(*given.tokens)[:12]}",
        mask=mask,
        edited=ui.Edited(effect["is_edited"], effect["weights"], effect["open"], why_not=""),
        label=ui.each("Layer {}, head {} under your mask".format, *at),
        badge=ui.each(partial(ui.badges.of_masked, given.key, given.ids, mask, "weights"), *at),
    )


def _changes(changes: NDArray[np.float64], inputs: Inputs, effect: dict[str, Any]) -> None:
    """Measured: the text was read again for each replaced token, which no second pass does."""
    given, why_not = inputs.given, ui.words("measured")
    made = ui.badges.Derived(line_of(measured_reach, "changes[:, s] ="), why_not=why_not)
    at = (given.key, given.encoded.ids_key)
    ui.matrix(
        changes,
        rows=given.tokens,
        columns=given.tokens,
        height=380,
        key=f"draw.changes:{content_key(*given.tokens)[:12]}",
        kind="value",
        mask=changes > 0,
        edited=ui.Edited(effect["is_edited"], effect["changes"], effect["moved"], effect["most"], why_not=why_not),
        row_title="output that moves",
        column_title="token that is replaced",
        value_title="largest change",
        limits=(0.0, max(float(changes.max()), 1e-9)),
        label="Measured: what reaches the last layer",
        badge=ui.badges.of_key(*at, "measured_reach", ("row", "column"), changes, derived=made),
    )
