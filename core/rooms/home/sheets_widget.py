"""A model as sheets of glass, one above the other, with a sentence in it; see `assets/widgets/home/sheets.js`."""

from typing import Any

from core.inspect.reading.model_key import ModelKey
from core.ui.server.weights import offer
from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount


def sheets(model: ModelKey, text: str, most: int, *, key: str) -> None:
    """Draw a model that the browser can run; it reads the text there, and nothing is committed.

    Args:
        text: a choice of the page, by its name; a click on a word that is offered moves it, unless it is fixed.
        most: tokens of it that are read, the last ones.
    """
    from core.ui.controls import choices  # only here: whoever computes with the room's exhibit needs no Streamlit

    choice = choices.find(text)
    header: dict[str, Any] = {"widget": "sheets", "label": "", "model": offer(model), "most": most}
    header["text"] = choices.chosen(text)
    header["remarks"] = None if choice is None else choice.key
    header["chooses"] = {} if choice is None or choice.fixed else {"text": choice.key}
    mount("sheets", key, pack(header, {}), height=560)
