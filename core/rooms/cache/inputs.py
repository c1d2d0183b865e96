"""What the exhibits of the room share: a prompt that leaves room to write, and the words for it."""

from dataclasses import dataclass, replace

import streamlit as st

from core.inspect.model_and_text import ModelAndText
from core.ui.models import models, pick_inputs
from core.ui.models.models import ModelKey

MOST_PROMPT = 40  # with what is written behind it, so many rows of a table still fit on a screen
N_WRITTEN = 16  # tokens that the tables and the mistakes write


@dataclass(frozen=True)
class Prompt:
    """A text to continue: the model and its tokens, cut where there would be no room, and how many fit behind them."""

    looked: ModelAndText
    n_new: int

    @property
    def key(self) -> ModelKey:
        return self.looked.key

    @property
    def ids(self) -> tuple[int, ...]:
        return self.looked.encoded.ids

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.looked.encoded.tokens

    @property
    def packed(self) -> str:
        return self.looked.encoded.packed


def look_here() -> ModelAndText | None:
    """The bar at the top; None, after plain words, where there is nothing that a cache could be for."""
    looked = pick_inputs.pick_inputs(MOST_PROMPT)
    if looked is not None and not models.load(looked.key).config.causal:
        st.info(
            "This model reads without the causal mask: each new word changes all the earlier ones, so nothing can be "
            "kept. Choose another model."
        )
        return None
    return looked


def model_here() -> ModelKey | None:
    """A decoder."""
    looked = look_here()
    return None if looked is None else looked.key


def prompt_of(looked: ModelAndText, n_new: int = N_WRITTEN) -> Prompt:
    """The text, its beginning cut off, with a word about it, where it would leave no room in the model's context."""
    context = int(models.load(looked.key).config.context_length)
    n_new = min(n_new, max(1, context // 2))
    encoded = looked.encoded
    n_prompt = max(1, min(len(encoded.ids), context - n_new))
    if n_prompt < len(encoded.ids):
        st.caption(
            f":material/info: Only the last {n_prompt} of the {len(encoded.ids)} tokens are used, so that {n_new} more "
            f"fit into the {context} that the model reads."
        )
    cut = replace(encoded, ids=tuple(encoded.ids[-n_prompt:]), tokens=tuple(encoded.tokens[-n_prompt:]))
    return Prompt(ModelAndText(looked.key, cut), n_new)
