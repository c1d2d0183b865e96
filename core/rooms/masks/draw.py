"""Draw a mask yourself: what arrives where through several layers, and what the model makes of it."""

from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.cache import content_key
from core.inputs import picked, toggle
from core.inspect.reading.model_and_text import is_large
from core.inspect.tap_lines import line_of
from core.nn import masks
from core.nn.attention import masked_softmax
from core.rooms.masks.compute import masks as masked
from core.rooms.masks.compute.reach import DrawnRecord, layers_needed, measured_reach, reach
from core.rooms.masks.inputs import Head
from core.rooms.masks.mask_editor_widget import MAX_LAYERS, Drawn, from_address, from_browser, mask_editor, to_address

WINDOW = 3  # the mask to begin with: short enough that each further layer brings something new
CODE = (reach, layers_needed, measured_reach, masked.run_under, masked_softmax)


def first(n_token: int) -> NDArray[np.bool_]:
    """The mask to begin with: (T, T)."""
    return masks.sliding_window(n_token, WINDOW).numpy()


def _check(text: str, inputs: Any) -> None:
    try:
        from_address(text, inputs.given.n_token)
    except ValueError as refused:
        raise ValueError(f"{refused} A window of {WINDOW} is shown.") from None


def _text(sent: Any, inputs: Any) -> str | None:
    found = from_browser(sent, inputs.given.n_token)
    return None if found is None else to_address(found)


class Inputs(Head):
    """The drawing, and whether the rule is checked on the model, whose text is then read anew for each token."""

    drawn: str = picked(
        "draw.mask",
        lambda i: to_address(Drawn(first(i.given.n_token), min(MAX_LAYERS, int(i.given.config.n_layer)))),
        part="drawn",
        text=_text,
        check=_check,
        content=lambda i: str(i.given.n_token),
    )
    measure: bool = toggle(
        "Check the rule on the model: replace each token in turn (some seconds each time)",
        lambda i: not is_large(i.given.key),
        name="draw_measure",
        when=lambda i: is_large(i.given.key),
    )


def compute(inputs: Inputs) -> DrawnRecord:
    """One head of the model that runs under the drawn mask in every layer, and what moves in its last layer."""
    given, drawn = inputs.given, from_address(inputs.drawn, inputs.given.n_token)
    mask = torch.from_numpy(drawn.mask)
    return DrawnRecord(
        head=masked.heads_under(given.model, given.ids, mask, inputs.layer, inputs.head, given.tokens),
        n_layer_drawn=drawn.n_layer,
        n_layer=int(given.config.n_layer),
        expected=reach(drawn.mask, int(given.config.n_layer), bool(given.config.block.residual)),
        changes=measured_reach(given.model, given.ids, mask) if inputs.measure else None,
    )


def draw(result: DrawnRecord, inputs: Inputs) -> None:
    """The editor, then the model under the drawn mask."""
    tokens, given = inputs.given.tokens, inputs.given
    mask_editor(
        from_address(inputs.drawn, len(tokens)),
        first(len(tokens)),
        tokens=tokens,
        key=ui.picks.key("draw.mask", str(len(tokens))),
        label="Your mask, and what it lets through",
    )
    if result.changes is not None:
        ui.say("rule")
    if result.head.n_empty:
        row = int(np.flatnonzero(~result.head.mask.any(-1))[0])
        plain = torch.full((len(tokens),), -torch.inf).softmax(-1)
        ui.say("empty", row=row, word=tokens[row].strip(), total=result.head.weights[row].sum(), plain=float(plain[0]))
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
            label=ui.per_head(given.config, "Layer {}, head {} under your mask".format),
            badge=badges,
            **shape,
        )
    if result.changes is None:
        return
    # Measured: the text was read again for each replaced token, which no second pass does.
    made = ui.badges.Derived(line_of(measured_reach, "changes[:, s] ="), why_not=ui.words("measured"))
    at = (given.key, given.encoded.packed)
    with right:
        ui.matrix(
            result.changes,
            key=f"draw.changes:{content}",
            kind="value",
            mask=result.changes > 0,
            row_title="output that moves",
            column_title="token that is replaced",
            value_title="largest change",
            limits=(0.0, max(float(result.changes.max()), 1e-9)),
            label="Measured: what reaches the last layer",
            badge=ui.badges.of_key(*at, "measured_reach", ("row", "column"), result.changes, derived=made),
            **shape,
        )
