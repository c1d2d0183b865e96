"""Start a class: one button, and what to prepare."""

import streamlit as st

from core.rooms.classroom import ROOM

ROOM.header()
st.link_button("Start a class", "desk#new", type="primary", icon=":material/co_present:")
for section in ("three screens", "Before the lesson", "A lesson of 45 minutes", "The network of a school", "kept"):
    ROOM.say(section)
ROOM.say("When the network fails")
