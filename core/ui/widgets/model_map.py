"""The map of a whole model; see `assets/widgets/model_map/model_map.js`."""

from collections.abc import Mapping

from core.browser.linked import Chosen
from core.browser.message import pack
from core.browser.weights import offer, offer_film
from core.data.sentences import OPENING
from core.exhibit import PROMPT_CHARS
from core.inspect.reading.model_and_text import sample_of
from core.inspect.reading.model_key import DEFAULT, ModelKey
from core.ui.widgets.mount import mount

MOST_TOKENS = 64  # rows of a map that can still be distinguished


def first_text(model: ModelKey) -> str:
    """Return the initial text of the map: Home's sentence, or a text that the model can read."""
    return OPENING if model.name == DEFAULT else sample_of(model)[-PROMPT_CHARS:]


def model_map(model: ModelKey, text: str, *, key: str) -> None:
    """Draw a model that the browser can run; it reads the text there, and nothing is committed.

    Args:
        text: a choice of the page, `inputs.text` or its name; its last tokens are read.
    """
    from core.ui.controls import choices  # only here, so that the room's computations need no Streamlit

    mount("model_map", key, message(offer(model), choices.chosen(text), offer_film(model)), height=640)


def message(model: Mapping[str, object] | None, text: Chosen, film: str | None = None) -> bytes:
    """Return the message for the widget.

    Args:
        model: see `core.browser.weights.offer`.
        text: the choice that it reads.
        film: the address of its recorded training, see `core.browser.weights`.
    """
    header = {"widget": "model_map", "label": "", "model": model, "most": MOST_TOKENS}
    return pack(header | {"text": text, "film": film}, {})
