"""The map of a whole model; see `assets/widgets/model_map/model_map.js`."""

from collections.abc import Mapping

from core.browser.choice_indexed_values import ChoiceRef
from core.browser.message_packing import pack_message
from core.browser.weights import offer_weights, training_film_url
from core.data.sentences import OPENING
from core.exhibit import PROMPT_CHARS
from core.inspect.model_inputs.model_and_text import sample_text_of
from core.inspect.model_inputs.model_key import DEFAULT_MODEL, ModelKey
from core.ui.widgets.mount import mount

MOST_TOKENS = 64  # rows of a map that can still be distinguished


def initial_model_map_text(model: ModelKey) -> str:
    """Return the initial text of the map: Home's sentence, or a text that the model can read."""
    return OPENING if model.name == DEFAULT_MODEL else sample_text_of(model)[-PROMPT_CHARS:]


def mount_model_map(model: ModelKey, text: str, *, key: str) -> None:
    """Draw a model that the browser can run; it reads the text there, and nothing is committed.

    Args:
        text: a choice of the page, `inputs.text` or its name; its last tokens are read.
    """
    from core.ui.controls import browser_side_controls  # only here, so that the room's computations need no Streamlit

    mount(
        "model_map",
        key,
        model_map_widget_message(
            offer_weights(model), browser_side_controls.choice_ref(text), training_film_url(model)
        ),
        height=640,
    )


def model_map_widget_message(model: Mapping[str, object] | None, text: ChoiceRef, film: str | None = None) -> bytes:
    """Return the message for the widget.

    Args:
        model: see `core.browser.weights.offer_weights`.
        text: the choice that it reads.
        film: the address of its recorded training, see `core.browser.weights`.
    """
    header = {"widget": "model_map", "label": "", "model": model, "most": MOST_TOKENS}
    return pack_message(header | {"text": text, "film": film}, {})
