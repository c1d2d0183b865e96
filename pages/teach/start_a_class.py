"""Start a class: one button, and how to prepare."""

from pathlib import Path

import streamlit as st

from core.rooms.classroom import ROOM
from core.ui.frame import layout

ROOM.header()
st.link_button("Start a class", "desk#new", type="primary", icon=":material/co_present:")
for section in ("three screens", "Before the lesson"):
    ROOM.show_text(section)
st.page_link("pages/lessons/lessons.py", label="All lessons", icon=":material/arrow_forward:", icon_position="right")
plans = sorted((Path(__file__).resolve().parents[2] / "assets/lessons/plans").glob("*.md"))
for plan, tab in zip(plans, st.tabs([f"A lesson of {one.stem.replace('-', ' ')}" for one in plans]), strict=True):
    with tab:
        layout.show_prose(plan.read_text(encoding="utf-8"))
for section in ("A race", "When someone plays tricks", "The network of a school", "When the network fails", "kept"):
    ROOM.show_text(section)
