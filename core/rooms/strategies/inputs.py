"""Inputs shared by the room's exhibits: a model that generates text, a prompt, and a position in it."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs
from core.inspect.model_inputs.model_and_text import ModelAndText, model_and_text_input, model_vocabulary
from core.inspect.model_inputs.model_key import WRITER_KINDS
from core.inspect.model_inputs.predicted_position import text_before, text_next_logits, token_position_slider

LABELS = module_labels(__name__)

PROMPT_TOKENS = 128


def _say_place(_: str, place: int, values: Any) -> None:
    """Show the text before the position in words, because this page has no text to click in."""
    given = values.given
    token = given.tokens[place] if place < given.n_token else ""
    before = ui.escape_markdown(text_before(given, place))
    key = "place_with_token" if token else "place"
    ui.st.caption(LABELS(key, before=before, token=ui.escape_markdown(token.strip() or token)))


class PromptInputs(Inputs):
    """Any model that generates text, and a prompt."""

    given: ModelAndText = model_and_text_input(most=PROMPT_TOKENS, kinds=WRITER_KINDS, chats=True)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """(V,) printable tokens."""
        return model_vocabulary(self.given.key)


class PromptPlace(PromptInputs):
    """The token to predict."""

    stays: ClassVar = True  # stays in sight while one reads what it opened
    place: int = token_position_slider(notes=_say_place)

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens before the position."""
        return self.given.ids[: self.place]

    @property
    def logits(self) -> NDArray[np.float32]:
        """(V,) the model's logits after these tokens."""
        return text_next_logits(self.given.key, ",".join(map(str, self.ids)))

    @property
    def before(self) -> str:
        """The end of the text before the position."""
        return text_before(self.given, self.place)
