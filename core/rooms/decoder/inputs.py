"""What all exhibits of the room look at: a decoder, and a window of at most fourteen tokens."""

from typing import TYPE_CHECKING

import streamlit as st

from core.cache import MAX_MODELS, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.ui.controls import controls
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.pick_inputs import pick_inputs

if TYPE_CHECKING:
    from core.models.gpt import GPT

# So few that every prediction of the window can be read at once; the model of little stories knows these words.
MOST = 14
SENTENCE = "Tom and Mia played near the park. Mia hid under the bench."
# A copy to train has 64-bit weights, gradients and two memories of each: 32 bytes a weight, 320 MB in all here.
MOST_WEIGHTS = 10_000_000


def look_here() -> ModelAndText | None:
    """The bar of the room: model and text, at most fourteen tokens of it; two at least."""
    with controls.defaults(text=SENTENCE):
        looked = pick_inputs(most=MOST, kinds=("gpt",))
    if looked is not None and len(looked.encoded.ids) < 2:
        st.info("The text is one token. A decoder needs at least two: one to read and one to predict.")
        return None
    return looked


def content(looked: ModelAndText) -> str:
    """A short name of model and text, for the keys of pictures."""
    return content_key(looked.key, looked.encoded.packed)[:12]


def token(key: ModelKey, i: int) -> str:
    """A token of the model's vocabulary as it can be read."""
    return models.vocabulary(key)[i]


def model_of(key: ModelKey) -> "GPT":
    """The model, frozen."""
    model: GPT = models.load(key).model  # type: ignore[assignment]
    return model


@memoize(MAX_MODELS)
def n_weight(key: ModelKey) -> int:
    """How many weights the model has."""
    return sum(parameter.numel() for parameter in model_of(key).parameters())
