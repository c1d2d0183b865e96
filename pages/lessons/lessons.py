"""Lessons: guided tours, one step at a time."""

import streamlit as st

from core.lessons.format import shelf
from core.lessons.page import steps
from core.rooms.lessons import ROOM

steps.follow_link()
found = shelf.on_shelf()
asked_for = st.query_params.get("lesson", "")
chosen = found.get(asked_for)
if chosen is not None and chosen.lesson is not None:
    from core.lessons.page.show import show_lesson

    show_lesson(chosen.lesson)
else:
    ROOM.header()
    from core.lessons.page.cards import show_shelf

    show_shelf(found, asked_for)
