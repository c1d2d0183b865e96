"""The end of every room: the lesson that leads through it, and the next room. No page is a dead end."""

import streamlit as st

from core.lessons.rooms import after, lessons_of, room_of, toured
from core.ui.text import escape_markdown

MOST_LESSONS = 3


def onward(page: str) -> None:
    """Draw the way on below a room; nothing on pages that are no rooms, which have ways of their own.

    Args:
        page: its address, "masks"; "" is the home page.
    """
    room = room_of(page)
    if room not in toured():
        return
    with st.container(key="onward", gap="xxsmall"):
        for lesson in lessons_of(room)[:MOST_LESSONS]:
            st.page_link(
                "pages/lessons/lessons.py",
                label=f"Lesson: **{escape_markdown(lesson.title)}**, {lesson.minutes} minutes",
                icon=":material/school:",
                query_params={"lesson": lesson.slug, "step": "1"},
            )
        following = after(room)
        if following is None:
            st.page_link("pages/home/home.py", label="The last room: **back to all rooms**", icon=":material/home:")
        else:
            label = f"Next room: **{escape_markdown(following.title)}**. {escape_markdown(following.card)}"
            st.page_link(following.page, label=label, icon=":material/arrow_forward:")
