"""Lessons: guided tours, one step at a time."""

import streamlit as st

from core.lessons.format import catalog
from core.lessons.lesson_ui import navigation
from core.rooms.lessons import ROOM

navigation.update_address_from_link()
found = catalog.lesson_files()
asked_for = st.query_params.get("lesson", "")
chosen = found.get(asked_for)
if chosen is not None and chosen.lesson is not None:
    from core.lessons.lesson_ui.lesson_view import show_lesson

    show_lesson(chosen.lesson)
else:
    ROOM.header()
    from core.lessons.lesson_ui.cards import show_lesson_cards

    show_lesson_cards(found, asked_for)
