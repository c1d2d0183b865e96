"""Inputs that the exhibits of the room share: a model that generates text, a text, and a position in it."""

from typing import Any, ClassVar

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, ViewChoice, slider
from core.generate.filter_settings import FilterSettings
from core.inspect.model_inputs.model_and_text import ModelAndText, model_and_text_input
from core.inspect.model_inputs.model_key import WRITER_KINDS
from core.inspect.model_inputs.predicted_position import input_text_hash, token_position_slider

LABELS = module_labels(__name__)

# Longer texts take seconds to read here, and their chips fill more than a screen.
MAX_TOKENS = 256
MAX_TEMPERATURE = 2.5  # at this temperature the models here write nearly at random
PICTURE_CHOICE = ViewChoice(is_drawn=False)  # set in the picture of the distribution


class NextTokenInputs(Inputs):
    """Any model that generates text, and a text."""

    given: ModelAndText = model_and_text_input(most=MAX_TOKENS, kinds=WRITER_KINDS, chats=True)


def temperature_input(look: ViewChoice) -> float:
    """Return an input for the temperature; an exhibit has a control for it, or a picture."""
    return slider(0.0, MAX_TEMPERATURE, 1.0, step=0.05, view=look, label=LABELS["temperature"])


def top_k_input() -> int:
    """Return an input for top-k, the number of tokens to draw from; 0: all."""
    return slider(0, lambda i: int(i.given.config.vocab_size), 0, view=PICTURE_CHOICE, label=LABELS["top_k"])


def top_p_input() -> float:
    """Return an input for top-p, the probability mass to draw from."""
    return slider(0.01, 1.0, 1.0, step=0.01, view=PICTURE_CHOICE, label=LABELS["top_p"])


def sampling_settings(inputs: Any) -> FilterSettings:
    """Return the sampling settings of the inputs."""
    return FilterSettings(inputs.temperature, inputs.top_k, inputs.top_p)


def _n_logit(inputs: NextTokenInputs) -> int:
    """Count the logits of all positions."""
    return int(inputs.given.n_token * inputs.given.config.vocab_size)


class PositionInputs(NextTokenInputs):
    """A model, a text, and the position of the token to predict."""

    stays: ClassVar = True  # stays in view while you read the text that it opened

    place: int = token_position_slider(view=ViewChoice(scope=input_text_hash, n_number=_n_logit))
