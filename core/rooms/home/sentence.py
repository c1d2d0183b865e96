"""The first thing a visitor sees: one sentence on its way through a small transformer, all of it live."""

from dataclasses import dataclass
from typing import Any

from core import inputs, ui
from core.data.printable import visible
from core.inputs import NothingToShow, text_input
from core.inspect import trace
from core.inspect.opening_head import telling_head
from core.inspect.reading.model_and_text import ModelAndText, read
from core.inspect.reading.model_key import DEFAULT, ModelUnreadable
from core.inspect.trace import AttentionRecord
from core.models.gpt import GPT

# Two toys could be meant: the model reads both, is not sure, and the sliders have something to move.
SENTENCE = "Sam had his kite and Anna had her hat. The wind took the"
# So many tokens still make a map that can be read beside the bars.
MOST_TOKENS = 24
CODE = (GPT.forward, trace.attention)


class Sentence(inputs.Inputs):
    """A sentence: the page asks for it beside the picture."""

    text: str = text_input(
        "Your own sentence", SENTENCE, max_chars=inputs.PROMPT_CHARS, keep_end=True, widget={"live": True}
    )


class Inputs(Sentence):
    """The sentence alone."""


@dataclass(frozen=True)
class Result:
    """All attention of a sentence, and what the model expects next."""

    given: ModelAndText
    record: AttentionRecord

    @property
    def head(self) -> tuple[int, int]:
        """Layer and head that are shown."""
        return telling_head(self.record)

    @property
    def expected(self) -> int:
        """The token that the model expects most."""
        return int(self.record.probabilities[-1].argmax())

    @property
    def expected_token(self) -> str:
        return visible(self.given.vocabulary[self.expected])

    @property
    def probability(self) -> float:
        return float(self.record.probabilities[-1, self.expected])

    @property
    def is_in_text(self) -> bool:
        """Whether the token that it expects stands in the sentence."""
        return self.expected in self.given.ids

    def table(self) -> dict[str, Any]:
        """What comes next: one line for each token of the vocabulary."""
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
    """Tokens, one attention map and the next token of the visitor's sentence."""
    given, record, (layer, head) = result.given, result.record, result.head
    ui.show_notes(given.encoded, given.key, "text", inputs.text)
    (asks,) = ui.picks.place("home.tokens", given.content, "asks", given.n_token) or (given.n_token - 1,)
    ui.token_row(
        given.tokens,
        key=ui.picks.key("home.tokens", given.content, asks),
        selected=asks,
        title="1 · The text becomes tokens",
    )
    left, right = ui.pair("home", alike=True)
    with left:
        ui.matrix(
            record.weights[layer, head],
            rows=given.tokens,
            columns=given.tokens,
            key=ui.picks.key("home.map", given.content),
            mask=record.mask,
            selected=(asks, int(record.weights[layer, head, asks].argmax())),
            height=280,
            label="2 · Tokens read earlier ones",
            badge=ui.badges.of_attention(given.key, given.encoded.packed, "weights", layer, head),
        )
    with right:
        ui.distribution(
            record.logits[-1],
            tokens=given.vocabulary,
            key=ui.picks.key("home.next", given.content),
            n_shown=8,
            label="3 · The next token",
        )
    ui.say("expected")
    ui.say("about", about=ui.about(given.key).in_words)
