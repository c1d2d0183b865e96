"""What the exhibits of the room share: the trained three, and a walk of the learner's own."""

import streamlit as st

from core.cache import memoize
from core.rooms.families.compute import walks
from core.rooms.families.compute.family_models import Three, rebuilt
from core.rooms.families.compute.walks import Walk
from core.ui.controls import controls
from core.ui.models.own_words import tell_words
from core.ui.training.trained_models import Trained

NAME = "families"
DEFAULT = "crab fox starfish wave moss"
MAX_MODELS = 32  # of half a megabyte


@memoize(MAX_MODELS)
def three_of(models: Trained) -> Three:
    """The three with their trained weights."""
    return rebuilt(models.record)


def ask_walk(name: str) -> Walk | None:
    """A walk that somebody writes; None, after plain words, where there is none."""
    text = controls.text_input(name, "Your walk: what you meet, in order", DEFAULT)
    walk, unknown = walks.read(text)
    tell_words(unknown, name, text, walks.THINGS, known_words(), who="These models don't")
    if not walk.things:
        if not unknown:
            st.caption(known_words())
        st.info("Write at least one of these things.")
        return None
    if len(walk.things) > walks.MOST_THINGS:
        st.caption(f"Of the {len(walk.things)} things, the models read only the last {walks.MOST_THINGS}.")
        walk = Walk(walk.things[-walks.MOST_THINGS :])
    if len(set(walk.things)) < len(walk.things):
        st.caption("Something comes twice; in training each thing came at most once.")
    return walk


def known_words() -> str:
    """What there is to meet."""
    return f"You can meet: {', '.join(walks.SEA)} (by the sea); {', '.join(walks.WOOD)} (in the wood)."
