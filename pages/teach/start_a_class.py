"""Start a class: one button, and what to prepare."""

import streamlit as st

from core.rooms.classroom import ROOM

ROOM.header()
st.link_button("Start a class", "desk#new", type="primary", icon=":material/co_present:")
for section in ("three screens", "Before the lesson"):
    ROOM.say(section)
st.page_link("pages/lessons/lessons.py", label="All lessons", icon=":material/arrow_forward:", icon_position="right")
for section in ("A lesson of 45 minutes", "The network of a school", "When the network fails", "kept"):
    ROOM.say(section)
