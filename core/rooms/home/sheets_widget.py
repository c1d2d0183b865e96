"""A model as sheets of glass, one above the other, with a sentence in it; see `assets/widgets/home/sheets.js`."""

from typing import Any

import torch

from core.browser.message import pack
from core.browser.weights import offer
from core.inspect.reading.model_and_text import ModelAndText
from core.nn.tap import Trace
from core.ui.widgets.mount import mount


def sheets(given: ModelAndText, text: str, held: str, most: int, *, key: str) -> None:
    """Draw a model that the browser can run; it reads the text there, and nothing is committed.

    Args:
        given: the model, and the text that it reads at first: the browser shows this pass until it has the weights.
        text: a choice of the page, by its name; a click on a word that is offered moves it, unless it is fixed.
        held: a choice of the page, by its name: the number of the token that a click holds.
        most: tokens of it that are read, the last ones.
    """
    from core.ui.controls import choices  # only here: whoever computes with the room's exhibit needs no Streamlit

    choice = choices.find(text)
    header: dict[str, Any] = {"widget": "sheets", "label": "", "model": offer(given.key), "most": most}
    header["text"] = choices.chosen(text)
    header["remarks"] = None if choice is None else choice.key
    header["held"] = choices.chosen(held)
    moved = {name: choices.find(of) for name, of in (("text", text), ("held", held))}
    header["chooses"] = {name: one.key for name, one in moved.items() if one is not None and not one.fixed}
    header["sent"] = list(given.ids)
    mount("sheets", key, pack(header, _pass(given), compress=True), height=560)


def _pass(given: ModelAndText) -> dict[str, Any]:
    """The arrays of one pass: embed (T, d), weights (L, H, T, T), logits (T, V)."""
    with torch.no_grad(), Trace(given.model) as trace:
        given.model(torch.tensor([given.ids]))
    return {
        "embed": trace["embed"][0].float().numpy(),
        "weights": given.attention.weights.astype("float32"),
        "logits": given.attention.logits.astype("float32"),
    }
