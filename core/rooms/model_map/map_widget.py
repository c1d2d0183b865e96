"""The map of a whole model; see `assets/widgets/model_map/model_map.js`."""

from typing import Any

from core.inspect.reading.model_key import ModelKey
from core.rooms.model_map.film import offer_film
from core.ui.linked import Chosen
from core.ui.server.weights import offer
from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount


def model_map(model: ModelKey, text: str, most: int, *, key: str) -> None:
    """Draw a model that the browser can run; it reads the text there, and nothing is committed.

    Args:
        text: a choice of the page, by its name.
        most: tokens of it that are read, the last ones.
    """
    from core.ui.controls import choices  # only here: whoever computes with the room's exhibit needs no Streamlit

    mount("model_map", key, message(model, choices.chosen(text), most), height=640)


def message(model: ModelKey, text: Chosen, most: int) -> bytes:
    """What the widget is told."""
    header: dict[str, Any] = {"widget": "model_map", "label": "", "model": offer(model), "most": most, "text": text}
    return pack(header | {"film": offer_film(model)}, {})
