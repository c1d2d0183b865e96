"""Draw a mask yourself: what arrives where through several layers, and what the model makes of it."""

from functools import partial
from typing import Any

import numpy as np
import torch

from core import ui
from core.exhibit import Look, content_key, text_input, toggle
from core.inspect.reading.model_and_text import is_large
from core.inspect.tap_lines import line_of
from core.inspect.trace import is_exact
from core.nn import masks
from core.nn.attention import masked_softmax
from core.rooms.masks.compute import masks as masked
from core.rooms.masks.compute.reach import DrawnRecord, layers_needed, measured_reach, reach
from core.rooms.masks.inputs import Head, say_window
from core.rooms.masks.mask_editor_widget import MAX_LAYERS, Drawn, from_address, mask_editor, to_address

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
    mask = torch.from_numpy(drawn.mask)
    return DrawnRecord(
        head=masked.heads_under(given.model, given.ids, mask, inputs.layer, inputs.head, given.tokens),
        n_layer_drawn=drawn.n_layer,
        n_layer=int(given.config.n_layer),
        expected=reach(drawn.mask, int(given.config.n_layer), bool(given.config.block.residual)),
        changes=measured_reach(given.model, given.ids, mask) if inputs.measure else None,
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
    tokens, given, drawn = inputs.given.tokens, inputs.given, ui.chosen("drawn")
    if why := read(inputs)[1]:
        ui.st.warning(ui.escape_markdown(why))
    mask_editor(
        drawn,
        first(given),
        tokens=tokens,
        key="draw.mask",
        label="Your mask, and what it lets through",
    )
    say_window(given)
    effect = ui.computed(
        "under_mask",
        ui.offer(given.key),
        parts(result),
        drawn=drawn,
        layer=ui.chosen("layer"),
        head=ui.chosen("head"),
        first=first(given),
        known=inputs.drawn,
        measure=inputs.measure,
        ids=[*map(int, given.ids)],
        tokens=tokens,
    )
    if result.changes is not None:
        counts = {name: effect[name] for name in ("n_moved", "n_expected", "n_agree")}
        ui.say(ui.named(effect["rule"], "rule", "rounded"), **counts)
        if not is_exact(given.model):
            ui.say("rounding")
    empty = {name: effect[name] for name in ("n_empty", "row", "word", "total")}
    plain = float(torch.full((len(tokens),), -torch.inf).softmax(-1)[0])
    ui.say(ui.named(effect["blank"], "empty", ""), plain=plain, **empty)
    if not ui.at_least("numbers"):
        return
    content = content_key(*tokens)[:12]
    shape: dict[str, Any] = {"rows": tokens, "columns": tokens, "height": 380}
    left, right = ui.pair("draw")
    with left:
        mask = result.head.mask
        badges = ui.per_head(given.config, partial(ui.badges.of_masked, given.key, given.ids, mask, "weights"))
        ui.matrix(
            ui.along(result.head.all_weights, *ui.HEAD),
            key=f"draw.weights:{content}",
            mask=mask,
            edited=ui.Edited(effect["is_edited"], effect["weights"], effect["open"], why_not=""),
            label=ui.per_head(given.config, "Layer {}, head {} under your mask".format),
            badge=badges,
            **shape,
        )
    if result.changes is None:
        return
    # Measured: the text was read again for each replaced token, which no second pass does.
    why_not = ui.words("measured")
    made = ui.badges.Derived(line_of(measured_reach, "changes[:, s] ="), why_not=why_not)
    at = (given.key, given.encoded.ids_key)
    with right:
        ui.matrix(
            result.changes,
            key=f"draw.changes:{content}",
            kind="value",
            mask=result.changes > 0,
            edited=ui.Edited(effect["is_edited"], effect["changes"], effect["moved"], effect["most"], why_not=why_not),
            row_title="output that moves",
            column_title="token that is replaced",
            value_title="largest change",
            limits=(0.0, max(float(result.changes.max()), 1e-9)),
            label="Measured: what reaches the last layer",
            badge=ui.badges.of_key(*at, "measured_reach", ("row", "column"), result.changes, derived=made),
            **shape,
        )
