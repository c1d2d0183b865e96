"""What all exhibits of the room look at: a short text, a model, and one of its heads."""

import streamlit as st

from core.generate.cache import reading_limit
from core.rooms.masks.mask_editor_widget import MAX_TOKENS
from core.ui.controls import controls
from core.ui.models import models
from core.ui.models.model_and_text import Looked, look
from core.ui.models.models import ModelKey

# Short, so that single cells can be seen and hit; the model of little stories knows its words.
SENTENCE = "Tom and Mia played near the park. Mia hid under the bench."
PADDING = "[pad]"


def look_here() -> Looked | None:
    """The bar of the room: model and text, at most 24 tokens of it."""
    with controls.defaults(text=SENTENCE):
        return look(most=MAX_TOKENS, kinds=models.READERS)


def choose_head(looked: Looked) -> tuple[int, int]:
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


def pad_id(key: ModelKey) -> int:
    """The token that fills gaps: the model's own for padding or for everything unknown, else its first one. Any would
    do."""
    tokenizer = models.load(key).tokenizer
    found = (getattr(tokenizer, name, None) for name in ("pad_id", "unknown_id"))
    return next((int(i) for i in found if i is not None), 0)


def room_for_padding(key: ModelKey, n_token: int, most: int) -> int:
    """How many padding tokens fit behind so many real ones: `most`, or fewer where the model's context ends."""
    limit = reading_limit(models.load(key).model)
    return most if limit is None else max(0, min(most, limit - n_token))


def scale_limits(*scores: float) -> tuple[float, float]:
    """A range for scores that is symmetric about 0, so that pictures side by side share their colors."""
    most = max((abs(score) for score in scores), default=1.0) or 1.0
    return -most, most
