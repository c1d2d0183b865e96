"""The whole model on one screen: a text on its way through all its parts, which the browser computes."""

from dataclasses import dataclass
from typing import Any

from core import inputs, ui
from core.inputs import Look, NothingToShow, custom, text_input
from core.inspect import trace
from core.inspect.reading.model_and_text import ModelAndText, encode
from core.inspect.reading.model_key import DEFAULT, ModelKey
from core.inspect.trace import AttentionRecord
from core.models.gpt import GPT
from core.ui.widgets.model_map import MOST_TOKENS, first_text, model_map

CODE = (GPT.forward, trace.attention)


class Inputs(inputs.Inputs):
    """A model that writes, and a text."""

    key: ModelKey = custom("core.ui.models.pick_inputs:pick_model", lambda _: ModelKey.at(DEFAULT))
    text: str = text_input(
        "Your own text",
        lambda given: first_text(given.key),
        max_chars=inputs.PROMPT_CHARS,
        keep_end=True,
        look=Look(within=lambda given: str(given.key)),
    )


@dataclass(frozen=True)
class Result:
    """A text through the model."""

    given: ModelAndText
    record: AttentionRecord

    def table(self) -> dict[str, Any]:
        """What comes next: one line for each token of the vocabulary."""
        return self.record.next_table(self.given.vocabulary)


def compute(inputs: Inputs) -> Result:
    """One pass of the text through the model."""
    given = ModelAndText(inputs.key, encode(inputs.key, inputs.text, MOST_TOKENS))
    if not given.ids:
        raise NothingToShow("Type a word or two for the model to read.")
    return Result(given, given.attention)


def draw(result: Result, inputs: Inputs) -> None:
    """The map; what is typed, changed and drawn is computed in the browser, by the model that is shown."""
    model_map(result.given.key, "text", key="model-map")
    ui.say("about", about=ui.about(result.given.key).in_words)
