"""Inputs that the exhibits of the room share: a model that generates text, a text, and a position in it."""

from typing import Any, ClassVar

from core.exhibit import Inputs, Look, slider
from core.generate.settings import Settings
from core.inspect.reading.model_and_text import ModelAndText, model_and_text
from core.inspect.reading.model_key import WRITERS
from core.inspect.reading.place_in_text import of_text, place_in_text

# Longer texts take seconds to read here, and their chips fill more than a screen.
MAX_TOKENS = 256
MAX_TEMPERATURE = 2.5  # at this temperature the models here write nearly at random
PICTURE_CHOICE = Look(is_drawn=False)  # set in the picture of the distribution


class NextTokenInputs(Inputs):
    """Any model that generates text, and a text."""

    given: ModelAndText = model_and_text(most=MAX_TOKENS, kinds=WRITERS, chats=True)


def temperature_input(look: Look) -> float:
    """Return an input for the temperature; an exhibit has a control for it, or a picture."""
    return slider("Temperature", 0.0, MAX_TEMPERATURE, 1.0, step=0.05, look=look)


def top_k_input() -> int:
    """Return an input for top-k, the number of tokens to draw from; 0: all."""
    return slider("top-k", 0, lambda i: int(i.given.config.vocab_size), 0, look=PICTURE_CHOICE)


def top_p_input() -> float:
    """Return an input for top-p, the probability mass to draw from."""
    return slider("top-p", 0.01, 1.0, 1.0, step=0.01, look=PICTURE_CHOICE)


def sampling_settings(inputs: Any) -> Settings:
    """Return the sampling settings of the inputs."""
    return Settings(inputs.temperature, inputs.top_k, inputs.top_p)


def _n_logit(inputs: NextTokenInputs) -> int:
    """Count the logits of all positions."""
    return int(inputs.given.n_token * inputs.given.config.vocab_size)


class PositionInputs(NextTokenInputs):
    """A model, a text, and the position of the token to predict."""

    stays: ClassVar = True  # stays in view while you read the text that it opened

    place: int = place_in_text(look=Look(within=of_text, numbers=_n_logit))
