"""A sentence to ask about, for the exhibits of this room."""

import streamlit as st

from core.data.synthetic import NOUNS, BottleAndCup, referents
from core.ui.controls import controls


def ask_sentence(prefix: str) -> BottleAndCup:
    """Ask for the two nouns and the ending of the sentence.

    Args:
        prefix: of the controls' names.
    """
    one, two, three = st.columns([1, 1, 1], gap="medium", vertical_alignment="bottom")
    with one:
        first = controls.select(f"{prefix}_first", "Water from the …", list(NOUNS), NOUNS[0])
    with two:
        second = controls.select(f"{prefix}_second", "into the …", list(NOUNS), NOUNS[1])
    with three:
        ending = controls.segmented(f"{prefix}_ending", "until it was …", list(referents.ENDINGS), "full")
    if first == second:
        second = NOUNS[(NOUNS.index(first) + 1) % len(NOUNS)]
        st.caption(f"Water can't be poured from the {first} into itself, so here the second one is the {second}.")
    return BottleAndCup(first, second, ending)
