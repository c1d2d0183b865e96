"""The inputs that the room's exhibits share: a model with blocks and a text, one block and one token."""

from typing import ClassVar

from core.exhibit import Inputs, ViewChoice, content_key, slider
from core.inspect.model_inputs.model_and_text import ModelAndText, model_and_text_input
from core.inspect.model_inputs.model_key import READER_KINDS

MOST_TOKENS = 128  # the colored text under the units stays readable


class BlockInputs(Inputs):
    """A model with blocks, and a text."""

    given: ModelAndText = model_and_text_input(most=MOST_TOKENS, kinds=READER_KINDS)

    @property
    def content(self) -> str:
        """A key for the model and the text, used in the keys of pictures."""
        return content_key(str(self.given.key), self.given.encoded.ids_key)[:12]


def _numbers(inputs: BlockInputs) -> int:
    """Return the number of values in all stages of all blocks; the units are about as many."""
    config = inputs.given.config
    return int(8 * config.n_layer * config.d_model * inputs.given.n_token)


def _of_block(inputs: BlockInputs) -> int:
    return _numbers(inputs) // int(inputs.given.config.n_layer)


class BlockTokenInputs(BlockInputs, prefix="way_"):
    """One token in one block, shared by both pictures of the room."""

    stays: ClassVar = True
    layer: int = slider(
        0,
        lambda i: i.given.config.n_layer - 1,
        lambda i: i.given.config.n_layer // 2,
        view=ViewChoice(n_number=_numbers),
    )
    token: int = slider(
        0,
        lambda i: i.given.n_token - 1,
        lambda i: i.given.n_token - 1,
        view=ViewChoice(scope=lambda i: BlockInputs(given=i.given).content, n_number=_of_block),
    )
