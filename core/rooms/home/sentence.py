"""The first picture that a visitor sees: one sentence on its way through a small transformer, computed live."""

from typing import Any

import torch

from core import exhibit, ui
from core.browser.message import pack
from core.browser.weights import offer
from core.data.sentences import OPENING
from core.exhibit import Look, NothingToShow, Result, Table, text_input
from core.inspect import trace
from core.inspect.reading.model_and_text import ModelAndText, read
from core.inspect.reading.model_key import DEFAULT, ModelUnreadable
from core.inspect.trace import AttentionRecord
from core.models.gpt import GPT
from core.nn.tap import Trace
from core.ui.widgets.mount import mount

MOST_TOKENS = 24  # more cannot be read on one screen
CODE = (GPT.forward, trace.attention)


class HomeSentence(exhibit.Inputs):
    """A sentence, with its field next to the picture."""

    text: str = text_input("Your own sentence", OPENING, max_chars=exhibit.PROMPT_CHARS, keep_end=True, look=Look())


class Inputs(HomeSentence):
    """The index of the word that a click selected in the picture; empty at first."""

    word: str = text_input("Word", max_chars=4, look=Look(of="text", is_drawn=False))


class SentencePass(Result):
    """A sentence through the model, and its prediction of the next token."""

    given: ModelAndText
    record: AttentionRecord

    def table(self) -> Table:
        """Return the next token's distribution, one row per token of the vocabulary."""
        return self.record.next_table(self.given.vocabulary)


def compute(inputs: Inputs) -> SentencePass:
    """Run the sentence through the shipped model once."""
    try:
        given = read(DEFAULT, inputs.text, MOST_TOKENS)
    except ModelUnreadable as refused:
        raise NothingToShow(f"{refused} You can train your own in the training studio.") from refused
    if not given.ids:
        raise NothingToShow("Type a word or two for the model to read.")
    return SentencePass(given=given, record=given.attention)


def draw(result: SentencePass, inputs: Inputs) -> None:
    """Draw the whole model with the sentence in it; the browser runs new text through the same model."""
    from core.ui.controls import choices  # only here, because computing the room's exhibit needs no Streamlit

    given = result.given
    moved = {"text": choices.find(inputs.text), "held": choices.find(inputs.word)}
    header = {
        "widget": "sheets",
        "label": "",
        "model": offer(given.key),
        "most": MOST_TOKENS,
        "text": choices.chosen(inputs.text),
        "held": choices.chosen(inputs.word),  # the token that a click selected
        "remarks": None if moved["text"] is None else moved["text"].key,
        "chooses": {name: one.key for name, one in moved.items() if one is not None and not one.fixed},
        "sent": list(given.ids),  # the pass to show until the browser has the weights
    }
    mount("sheets", "home.sheets", pack(header, _pass(given), compress=True), height=560)
    ui.say("about", about=ui.about(given.key).in_words)


def _pass(given: ModelAndText) -> dict[str, Any]:
    """Return the arrays of one pass: embed (T, d), weights (L, H, T, T), logits (T, V)."""
    with torch.no_grad(), Trace(given.model) as trace:
        given.model(torch.tensor([given.ids]))
    return {
        "embed": trace["embed"][0].float().numpy(),
        "weights": given.attention.weights.astype("float32"),
        "logits": given.attention.logits.astype("float32"),
    }
