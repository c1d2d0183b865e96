"""Inputs that the exhibits of the room share: a model that generates text, a text, and a position in it."""

from typing import Any, ClassVar

from core.exhibit import Inputs, Look, slider
from core.generate.settings import Settings
from core.inspect.reading.model_and_text import ModelAndText, model_and_text
from core.inspect.reading.model_key import WRITERS
from core.inspect.reading.place_in_text import of_text, place_in_text

# Longer texts take seconds to read here, and their chips fill more than a screen.
MOST_TOKENS = 256
HOTTEST = 2.5  # at this temperature the models here write nearly at random
IN_PICTURE = Look(is_drawn=False)  # set in the picture of the distribution


class Looked(Inputs):
    """Any model that generates text, and a text."""

    given: ModelAndText = model_and_text(most=MOST_TOKENS, kinds=WRITERS, chats=True)


def temperature(look: Look) -> float:
    """Return an input for the temperature; an exhibit has a control for it, or a picture."""
    return slider("Temperature", 0.0, HOTTEST, 1.0, step=0.05, look=look)


def top_k() -> int:
    """Return an input for top-k, the number of tokens to draw from; 0: all."""
    return slider("top-k", 0, lambda i: int(i.given.config.vocab_size), 0, look=IN_PICTURE)


def top_p() -> float:
    """Return an input for top-p, the probability mass to draw from."""
    return slider("top-p", 0.01, 1.0, 1.0, step=0.01, look=IN_PICTURE)


def settings_of(inputs: Any) -> Settings:
    """Return the sampling settings of the inputs."""
    return Settings(inputs.temperature, inputs.top_k, inputs.top_p)


def _n_logit(inputs: Looked) -> int:
    """Count the logits of all positions."""
    return int(inputs.given.n_token * inputs.given.config.vocab_size)


class Place(Looked):
    """A model, a text, and the position of the token to predict."""

    stays: ClassVar = True  # stays in view while you read the text that it opened

    place: int = place_in_text(look=Look(within=of_text, numbers=_n_logit))
