"""Lessons: guided tours, one step at a time."""

import streamlit as st

from core.lessons import shelf, way
from core.ui import layout

way.follow_link()
found = shelf.on_shelf()
asked_for = st.query_params.get("lesson", "")
chosen = found.get(asked_for)
if chosen is not None and chosen.lesson is not None:
    from core.lessons.show import show_lesson

    show_lesson(chosen.lesson)
else:
    layout.page_header(
        "Lessons",
        "From letters to a trained transformer, one step at a time. You predict, you look, and in each lesson you "
        "train something yourself.",
    )
    from core.lessons.cards import show_shelf

    show_shelf(found, asked_for)
