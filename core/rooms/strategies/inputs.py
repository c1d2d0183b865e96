"""Inputs shared by the room's exhibits: a model that generates text, a prompt, and a position in it."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs
from core.inspect.reading.model_and_text import ModelAndText, model_and_text, vocabulary
from core.inspect.reading.model_key import WRITERS
from core.inspect.reading.place_in_text import next_logits, place_in_text, words_before

PROMPT_TOKENS = 128


def _say_place(_: str, place: int, values: Any) -> None:
    """Show the text before the position in words, because this page has no text to click in."""
    given = values.given
    token = given.tokens[place] if place < given.n_token else ""
    came = f" Here “{ui.escape_markdown(token.strip() or token)}” came." if token else ""
    ui.st.caption(f"The token after “…{ui.escape_markdown(words_before(given, place))}”.{came}")


class PromptInputs(Inputs):
    """Any model that generates text, and a prompt."""

    given: ModelAndText = model_and_text(most=PROMPT_TOKENS, kinds=WRITERS, chats=True)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """(V,) printable tokens."""
        return vocabulary(self.given.key)


class PromptPlace(PromptInputs):
    """The token to predict."""

    stays: ClassVar = True  # stays in sight while one reads what it opened
    place: int = place_in_text(notes=_say_place)

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens before the position."""
        return self.given.ids[: self.place]

    @property
    def logits(self) -> NDArray[np.float32]:
        """(V,) the model's logits after these tokens."""
        return next_logits(self.given.key, ",".join(map(str, self.ids)))

    @property
    def before(self) -> str:
        """The end of the text before the position."""
        return words_before(self.given, self.place)
