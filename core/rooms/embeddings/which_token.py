"""The input of a token: a searchable list, or for a large vocabulary a text field."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

from core import exhibit
from core.data.localization.labels import module_labels
from core.data.tokenizers import known_word_normalization
from core.exhibit import MAX_MODELS, MAX_TRACES, Control, memoize
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.rooms.embeddings import facts
from core.rooms.embeddings.token_map import CLICKED_KEY, map_content
from core.ui import state
from core.ui.controls import controls, picks
from core.ui.models.text_notes import offer_words
from core.ui.text_formatting import escape_markdown, quote_briefly

LABELS = module_labels(__name__)

MAX_LISTED = 3_000  # options of a list, which is sent again at each change of the page


def pick_token(key: ModelKey) -> int:
    """Draw the input and return the id of the token; a click in the map changes it."""
    names = facts.token_labels(key)
    default = names[facts.default_token(key)]
    is_listed, label, name = len(names) <= MAX_LISTED, LABELS["token"], "token"
    help = LABELS["token.help"] if is_listed else LABELS("token.help.typed", n=len(names))
    control = (
        exhibit.select(names, default, help=help, name=name, label=label)
        if is_listed
        else exhibit.text_input(default, help=help, name=name, label=label)
    )
    points = (picks.new_pick("embeddings.map", map_content(key), "selection") or {}).get("points")
    if points:
        state.set_session_slot(CLICKED_KEY, clicked_token(points[0], len(names)))
        controls.set_control(control, names[state.session_slot(CLICKED_KEY, int)])
    if is_listed:
        _forget_stale(name, names)
    asked = controls.render_control(control)
    return names.index(asked) if is_listed else _typed(key, names, default, asked.strip(), name)


def clicked_token(point: Any, n_token: int) -> int:
    """Return the id of the token whose point was clicked, from untrusted data."""
    try:
        index = int(point["customdata"][0])
    except (TypeError, KeyError, IndexError, ValueError):
        return 0
    return index if 0 <= index < n_token else 0


def _forget_stale(name: str, options: Iterable[object]) -> None:
    """Remove a stored choice that is not an option of the current model."""
    if st.session_state.get(name) not in (None, *options):
        del st.session_state[name]
        picks.set_address_value(name, None)


def forget_stale_coloring(control: Control, _: object) -> None:
    """Remove a stale coloring before the control is drawn."""
    _forget_stale(str(control.name), control.options["options"])


@memoize(MAX_MODELS)
def label_ids(key: ModelKey) -> dict[str, int]:
    """Return the id of each label."""
    return {label: i for i, label in enumerate(facts.token_labels(key))}


def _typed(key: ModelKey, names: tuple[str, ...], default: str, asked: str, name: str) -> int:
    found = find_token(key, asked)
    if found is None:
        st.info(LABELS("unknown", asked=escape_markdown(quote_briefly(asked)), shown=escape_markdown(default)))
        offer_words([asked], name, asked, lambda word: _alike(key, word))
        return label_ids(key)[default]
    if names[found] != asked:
        st.caption(LABELS("found", token=escape_markdown(names[found]), id=found))
    return found


@memoize(MAX_TRACES)
def _alike(key: ModelKey, word: str) -> tuple[str, ...]:
    return known_word_normalization.similar_words(word, (name.strip("·▁") for name in facts.token_labels(key)), 4)


def find_token(key: ModelKey, asked: str) -> int | None:
    """Return the id of a token, or None.

    It is the token with this label; or with this word, preferably with a space before it; or the first token of a word
    that is cut into several.
    """
    known = label_ids(key)
    if asked in known:
        return known[asked]
    if not asked:
        return None
    if "·" + asked in known:
        return known["·" + asked]
    tokenizer = load_text_model(key).text_tokenizer
    unknown, special = getattr(tokenizer, "unknown_id", None), set(tokenizer.encode(""))
    ids = [i for i in tokenizer.encode(" " + asked) if i != unknown and i not in special]
    return next((i for i in ids if facts.token_labels(key)[i].strip("·⏎⇥ ▁")), None)  # more than a space
