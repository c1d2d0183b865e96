"""Inputs that all exhibits of the room share: a short text, a model, and one of its heads."""

from typing import ClassVar

from core.exhibit import Inputs, Look, slider
from core.inspect.reading.model_and_text import ModelAndText, model_and_text
from core.inspect.reading.model_key import READERS

MAX_TOKENS = 24  # 24 x 24 cells can be hit with a finger on a small screen
# Short, so that single cells can be seen and hit; the stories model knows its words.
DEFAULT_SENTENCE = "Tom and Mia played near the park. Mia hid under the bench."


class MasksInputs(Inputs):
    """A model, and at most 24 tokens of a text."""

    given: ModelAndText = model_and_text(DEFAULT_SENTENCE, most=MAX_TOKENS, kinds=READERS)


def _numbers(inputs: MasksInputs) -> int:
    """Count the numbers of all heads: scores, masked scores and weights."""
    config = inputs.given.config
    return int(3 * config.n_layer * config.n_head * inputs.given.n_token**2)


class MaskHeadInputs(MasksInputs):
    """The head whose scores are masked."""

    stays: ClassVar = True
    layer: int = slider("Layer", 0, lambda i: i.given.config.n_layer - 1, 0, look=Look(numbers=_numbers))
    head: int = slider(
        "Head",
        0,
        lambda i: i.given.config.n_head - 1,
        lambda i: i.given.config.n_head - 1,
        look=Look(numbers=_numbers),
    )
