"""What the exhibits of the room look at: a model that writes, a text, and a place in it."""

from typing import Any, ClassVar

from core.generate.settings import Settings
from core.inputs import Inputs, Look, custom
from core.inspect.reading.model_and_text import ModelAndText, model_and_text
from core.inspect.reading.model_key import WRITERS
from core.inspect.reading.place_in_text import of_text, place_in_text

# Longer texts take seconds to read here, and their chips fill more than a screen.
MOST_TOKENS = 256
# Temperature, top-k and top-p are set in the picture of the distribution.
SETTINGS = custom("core.rooms.next_token.sampling_settings:ask_settings", Settings(), given=lambda i: i.given)


class Looked(Inputs):
    """Any model that writes, and a text."""

    given: ModelAndText = model_and_text(most=MOST_TOKENS, kinds=WRITERS)


def _n_logit(inputs: Any) -> int:
    """Logits of all places."""
    return int(inputs.given.n_token * inputs.given.config.vocab_size)


class Place(Looked):
    """The token to predict."""

    stays: ClassVar = True  # in sight while one reads what it opened

    place: int = place_in_text(look=Look(within=of_text, numbers=_n_logit))
