"""Lessons: guided tours, one step at a time."""

import streamlit as st

from core.lessons import shelf
from core.lessons.show import show_lesson
from core.ui import layout

chosen = shelf.on_shelf().get(st.query_params.get("lesson", ""))
if chosen is not None and chosen.lesson is not None:
    show_lesson(chosen.lesson)
else:
    layout.page_header("Lessons", "From text to a trained transformer, one step at a time.")
    for one in shelf.on_shelf().values():
        if one.lesson is not None:
            st.markdown(f"[{one.lesson.title}](?lesson={one.slug}&step=1)")
