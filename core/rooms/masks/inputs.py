"""Inputs that all exhibits of the room share: a short text, a model, and one of its heads."""

from typing import ClassVar

from core.exhibit import Inputs, ViewChoice, slider
from core.inspect.model_inputs.model_and_text import ModelAndText, model_and_text_input
from core.inspect.model_inputs.model_key import READER_KINDS

MAX_TOKENS = 24  # 24 x 24 cells can be hit with a finger on a small screen
# Short, so that single cells can be seen and hit; the stories model knows its words.
DEFAULT_SENTENCE = "Tom and Mia played near the park. Mia hid under the bench."


class MasksInputs(Inputs):
    """A model, and at most 24 tokens of a text."""

    given: ModelAndText = model_and_text_input(DEFAULT_SENTENCE, most=MAX_TOKENS, kinds=READER_KINDS)


def _numbers(inputs: MasksInputs) -> int:
    """Count the numbers of all heads: scores, masked scores and weights."""
    config = inputs.given.config
    return int(3 * config.n_layer * config.n_head * inputs.given.n_token**2)


class MaskHeadInputs(MasksInputs):
    """The head whose scores are masked."""

    stays: ClassVar = True
    layer: int = slider(0, lambda i: i.given.config.n_layer - 1, 0, view=ViewChoice(n_number=_numbers))
    head: int = slider(
        0,
        lambda i: i.given.config.n_head - 1,
        lambda i: i.given.config.n_head - 1,
        view=ViewChoice(n_number=_numbers),
    )
