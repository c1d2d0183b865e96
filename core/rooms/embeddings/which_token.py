"""Which token the room looks at: a list to search in, or for a large vocabulary a field to type in."""

from typing import Any

import streamlit as st

from core.cache import MAX_MODELS, MAX_TRACES, memoize
from core.data.tokenizers import known_words
from core.inspect.model_key import ModelKey
from core.rooms.embeddings import facts
from core.ui.controls import controls, picks
from core.ui.models import models
from core.ui.models.own_words import offer_words
from core.ui.models.pick_inputs import pick_model
from core.ui.text import escape_markdown, quote_briefly

MOST_LISTED = 3_000  # options of a list: it is sent anew at each change of the page
NAME = "token"


def model_here() -> ModelKey | None:
    """A model."""
    return pick_model(kinds=models.READERS)


def look_at_token() -> tuple[ModelKey, int] | None:
    """A model and one of its tokens."""
    key = model_here()
    return None if key is None else (key, choose(key))


def choose(key: ModelKey) -> int:
    """The id of the token to look at."""
    names = facts.labels(key)
    default = names[facts.first_token(key)]
    if len(names) > MOST_LISTED:
        return _typed(key, names, default)
    if st.session_state.get(NAME) not in (None, *names):  # another model has other tokens
        del st.session_state[NAME]
        picks.remember(NAME, None)
    token = controls.select(
        NAME,
        "Token to look at (· is a space)",
        names,
        default,
        help="Type to search. A word with a space before it and the same word without one are two tokens.",
    )
    return names.index(token)


@memoize(MAX_MODELS)
def places(key: ModelKey) -> dict[str, int]:
    """Label -> id."""
    return {label: i for i, label in enumerate(facts.labels(key))}


def _typed(key: ModelKey, names: tuple[str, ...], default: str) -> int:
    asked = controls.text_input(
        NAME,
        "Token to look at (· is a space)",
        default,
        help=f"The vocabulary has {len(names):,} tokens, too many for a list. Type a word, or a token as written on "
        "the map. A word with a space before it and the same word without one are two tokens.",
    ).strip()
    found = find(key, asked)
    if found is None:
        st.info(
            f"No token is spelled {escape_markdown(quote_briefly(asked))}. {escape_markdown(default)} is shown instead."
        )
        offer_words([asked], NAME, asked, lambda word: _alike(key, word))
        return places(key)[default]
    if names[found] != asked:
        st.caption(f"This is the token {escape_markdown(names[found])}, id {found}.")
    return found


@memoize(MAX_TRACES)
def _alike(key: ModelKey, word: str) -> tuple[str, ...]:
    return known_words.alike(word, (name.strip("·▁") for name in facts.labels(key)), 4)


def find(key: ModelKey, asked: str) -> int | None:
    """The token of this label; or of this word, with a space before it if there is such a token; or, of a word that is
    cut into several, the first of these."""
    known = places(key)
    if asked in known:
        return known[asked]
    if not asked:
        return None
    if "·" + asked in known:
        return known["·" + asked]
    tokenizer: Any = models.load(key).tokenizer
    unknown, special = getattr(tokenizer, "unknown_id", None), set(tokenizer.encode(""))
    ids = [i for i in tokenizer.encode(" " + asked) if i != unknown and i not in special]
    return next((i for i in ids if names_something(facts.labels(key)[i])), None)


def names_something(label: str) -> bool:
    """Whether a token is more than a space."""
    return bool(label.strip("·⏎⇥ ▁"))
