"""A model as sheets of glass, one above the other, with a sentence in it; see `assets/widgets/home/sheets.js`."""

from typing import Any

from core.inspect.reading.model_key import ModelKey
from core.ui.server.weights import offer
from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount


def sheets(model: ModelKey, text: Any, most: int, *, key: str) -> None:
    """Draw a model that the browser can run; it reads the text there, and nothing is committed.

    Args:
        text: or a choice of the page.
        most: tokens of it that are read, the last ones.
    """
    header = {"widget": "sheets", "label": "", "model": offer(model), "text": text, "most": most}
    mount("sheets", key, pack(header, {}), height=560)
