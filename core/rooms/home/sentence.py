"""The first thing a visitor sees: one sentence on its way through a small transformer, all of it live."""

from dataclasses import dataclass
from typing import Any

from core import exhibit, ui
from core.data.sentences import OPENING
from core.exhibit import Look, NothingToShow, text_input
from core.inspect import trace
from core.inspect.reading.model_and_text import ModelAndText, read
from core.inspect.reading.model_key import DEFAULT, ModelUnreadable
from core.inspect.trace import AttentionRecord
from core.models.gpt import GPT
from core.rooms.home.sheets_widget import sheets

# So many tokens can still be read on a sheet.
MOST_TOKENS = 24
CODE = (GPT.forward, trace.attention)


class Sentence(exhibit.Inputs):
    """A sentence: the page asks for it beside the picture."""

    text: str = text_input("Your own sentence", OPENING, max_chars=exhibit.PROMPT_CHARS, keep_end=True, look=Look())


class Inputs(Sentence):
    """The number of the word that a click holds in the picture; none at first."""

    word: str = text_input("Word", max_chars=4, look=Look(of="text", is_drawn=False))


@dataclass(frozen=True)
class Result:
    """A sentence through the model, and what it expects next."""

    given: ModelAndText
    record: AttentionRecord

    def table(self) -> dict[str, Any]:
        """The next token: one line for each token of the vocabulary."""
        return self.record.next_table(self.given.vocabulary)


def compute(inputs: Inputs) -> Result:
    """One pass of the sentence through the model that ships."""
    try:
        given = read(DEFAULT, inputs.text, MOST_TOKENS)
    except ModelUnreadable as refused:
        raise NothingToShow(f"{refused} You can train your own in the training studio.") from refused
    if not given.ids:
        raise NothingToShow("Type a word or two for the model to read.")
    return Result(given, given.attention)


def draw(result: Result, inputs: Inputs) -> None:
    """The whole model with the sentence in it; what is typed is read in the browser, by the model that is shown."""
    sheets(result.given, "text", "word", MOST_TOKENS, key="home.sheets")
    ui.say("about", about=ui.about(result.given.key).in_words)
