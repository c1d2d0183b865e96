"""Start a class: one button, and how to prepare."""

import streamlit as st

from core.data.localization.labels import module_labels
from core.rooms.classroom import ROOM

LABELS = module_labels(ROOM.package)
PLANS = (45, 90)  # minutes of a lesson

ROOM.header()
st.link_button(LABELS["start"], "desk#new", type="primary", icon=":material/co_present:")
for section in ("three screens", "before"):
    ROOM.show_text(section)
st.page_link(
    "pages/lessons/lessons.py", label=LABELS["all_lessons"], icon=":material/arrow_forward:", icon_position="right"
)
for minutes, tab in zip(PLANS, st.tabs([LABELS("plan", n=minutes) for minutes in PLANS]), strict=True):
    with tab:
        ROOM.show_text(f"{minutes} minutes")
for section in ("race", "tricks", "network", "failing", "kept"):
    ROOM.show_text(section)
