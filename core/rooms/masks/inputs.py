"""What all exhibits of the room look at: a short text, a model, and one of its heads."""

import streamlit as st

from core.inspect.model_and_text import ModelAndText
from core.rooms.masks.mask_editor_widget import MAX_TOKENS
from core.ui.controls import controls
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.pick_inputs import pick_inputs

# Short, so that single cells can be seen and hit; the model of little stories knows its words.
SENTENCE = "Tom and Mia played near the park. Mia hid under the bench."


def look_here() -> ModelAndText | None:
    """The bar of the room: model and text, at most 24 tokens of it."""
    with controls.defaults(text=SENTENCE):
        return pick_inputs(most=MAX_TOKENS, kinds=models.READERS)


def model_here() -> ModelKey | None:
    """A model that reads."""
    looked = look_here()
    return None if looked is None else looked.key


def look_at_head() -> tuple[ModelAndText, int, int] | None:
    """Model, a short text, layer and head."""
    looked = look_here()
    return None if looked is None else (looked, *choose_head(looked))


def choose_head(looked: ModelAndText) -> tuple[int, int]:
    """Whose scores the masks are laid over: the sliders `Layer` and `Head`, for all exhibits of the room."""
    config = models.load(looked.key).config
    # Under the name of the heads' room, whose style keeps the sliders in sight while one reads further down.
    with st.container(key="stays"):
        left, right = st.columns(2, gap="medium")
    with left:
        layer = controls.slider("layer", "Layer", 0, config.n_layer - 1, 0, step=1)
    with right:
        head = controls.slider("head", "Head", 0, config.n_head - 1, config.n_head - 1, step=1)
    return int(layer), int(head)


def scale_limits(*scores: float) -> tuple[float, float]:
    """A range for scores that is symmetric about 0, so that pictures side by side share their colors."""
    most = max((abs(score) for score in scores), default=1.0) or 1.0
    return -most, most
