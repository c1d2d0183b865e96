"""The first picture that a visitor sees: one sentence on its way through a small transformer, computed live."""

from typing import Any

import torch

from core import exhibit, ui
from core.browser.message_packing import pack_message
from core.browser.weights import offer_weights
from core.data.localization.labels import module_labels
from core.data.sentences import OPENING
from core.exhibit import NothingToShow, Result, Table, ViewChoice, text_input
from core.inspect import attention_record
from core.inspect.attention_record import AttentionRecord
from core.inspect.model_inputs.model_and_text import ModelAndText, load_model_and_text
from core.inspect.model_inputs.model_key import DEFAULT_MODEL, ModelUnreadable
from core.models.gpt import GPT
from core.nn.tap import Trace
from core.ui.widgets.mount import mount

LABELS = module_labels(__name__)

MOST_TOKENS = 24  # more cannot be read on one screen
CODE = (GPT.forward, attention_record.attention)


class HomeSentence(exhibit.Inputs):
    """A sentence, with its field next to the picture."""

    text: str = text_input(OPENING, max_chars=exhibit.PROMPT_CHARS, keep_end=True, view=ViewChoice())


class Inputs(HomeSentence):
    """The index of the word that a click selected in the picture; empty at first."""

    word: str = text_input(max_chars=4, view=ViewChoice(parent="text", is_drawn=False))


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
        given = load_model_and_text(DEFAULT_MODEL, inputs.text, MOST_TOKENS)
    except ModelUnreadable as refused:
        raise NothingToShow(LABELS("unreadable", reason=refused)) from refused
    if not given.ids:
        raise NothingToShow(LABELS["no_text"])
    return SentencePass(given=given, record=given.attention)


def draw(result: SentencePass, inputs: Inputs) -> None:
    """Draw the whole model with the sentence in it; the browser runs new text through the same model."""
    from core.ui.controls import (
        browser_side_controls,  # only here, because computing the room's exhibit needs no Streamlit
    )

    given = result.given
    moved = {
        "text": browser_side_controls.find_choice_state(inputs.text),
        "held": browser_side_controls.find_choice_state(inputs.word),
    }
    header = {
        "widget": "sheets",
        "label": "",
        "model": offer_weights(given.key),
        "most": MOST_TOKENS,
        "text": browser_side_controls.choice_ref(inputs.text),
        "held": browser_side_controls.choice_ref(inputs.word),  # the token that a click selected
        "remarks": None if moved["text"] is None else moved["text"].key,
        "chooses": {name: one.key for name, one in moved.items() if one is not None and not one.lock_reason},
        "sent": list(given.ids),  # the pass to show until the browser has the weights
    }
    mount("sheets", "home.sheets", pack_message(header, _pass(given), compress=True), height=560)
    ui.show_text_section("about", about=ui.describe_model(given.key).in_words)


def _pass(given: ModelAndText) -> dict[str, Any]:
    """Return the arrays of one pass: embed (T, d), weights (L, H, T, T), logits (T, V)."""
    with torch.no_grad(), Trace(given.model) as trace:
        given.model(torch.tensor([given.ids]))
    return {
        "embed": trace["embed"][0].float().numpy(),
        "weights": given.attention.weights.astype("float32"),
        "logits": given.attention.logits.astype("float32"),
    }
