"""The place that the exhibits on single distributions look at."""

from dataclasses import replace

import streamlit as st

from core.inspect.model_and_text import ModelAndText
from core.ui.frame import scripts
from core.ui.models import models, place_in_text
from core.ui.models.pick_inputs import pick_inputs
from core.ui.text import escape_markdown

PROMPT_TOKENS = 128


def look_here() -> ModelAndText | None:
    """Any model that writes, and a prompt."""
    return pick_inputs(most=PROMPT_TOKENS, kinds=models.WRITERS)


def look_at_place() -> tuple[ModelAndText, int] | None:
    """Any model that writes, a prompt, and a place in it."""
    looked = look_here()
    return None if looked is None else (looked, choose_place(looked))


def choose_place(looked: ModelAndText) -> int:
    """The slider for the token to predict, and in words what stands before it: this page has no text to click in."""
    place = place_in_text.choose_place(looked)
    tokens = looked.encoded.tokens
    came = f" Here “{escape_markdown(tokens[place].strip() or tokens[place])}” came." if place < len(tokens) else ""
    st.caption(f"The token after “…{escape_markdown(before(looked, place))}”.{came}")
    return place


def before(looked: ModelAndText, place: int) -> str:
    """The end of the text before a place, on one line."""
    return " ".join("".join(looked.encoded.tokens[max(0, place - 8) : place]).split())


def in_script(looked: ModelAndText, place: int) -> scripts.Code:
    """The lines of a script that give `found`, `ids` and `logits`: the model, the tokens before a place, what follows.

    The script imports `torch`, and `load` of `core.models.pretrained`.
    """
    text = replace(looked.encoded, ids=looked.encoded.ids[:place])
    lines = scripts.script(
        """
        $folder
        found = load(FOLDER)
        model, tokenizer = found.model, found.tokenizer
        ids = $ids

        # What the model gives each token of its vocabulary, after these.
        logits = model(torch.tensor([ids]))[0, -1].numpy()
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(ModelAndText(looked.key, text)),
    )
    return scripts.Code(lines.rstrip())
