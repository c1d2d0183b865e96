"""Home: the visitor's own sentence in a transformer, links to start from, then all rooms."""

import streamlit as st

from core.rooms import SECTIONS, rooms
from core.rooms.home import ROOM
from core.ui.exhibit.exhibit_text import load_exhibit_markdown
from core.ui.frame import layout
from core.ui.frame.element_keys import page_element_key


@st.fragment
def opening() -> None:
    """Draw text and links at the left, the picture at the right. Typing a sentence doesn't rerun the whole page."""
    with st.container(horizontal=True, gap="medium", key=page_element_key("home-opening")):
        with st.container(width=320, key=page_element_key("home-words")):
            said = load_exhibit_markdown("home", "page")
            st.title(said.title, anchor=False)
            st.markdown(said.look_for)
            from core.lessons.lesson_ui import cards  # the title is drawn before anything heavy is imported
            from core.rooms.home.sentence import HomeSentence
            from core.ui.exhibit.exhibit_input_form import render_inputs

            with st.container(key=page_element_key("home-sentence")):
                sentence = render_inputs(HomeSentence)
            cards.show_home_links()
            ROOM.show_text("promise")
        with st.container(key=page_element_key("home-picture"), width="stretch"):
            st.space(28)  # room for the page's menu
            ROOM.show("sentence-through", sentence)


if ROOM.only_exhibit:
    ROOM.header()
    ROOM.show("sentence-through")
else:
    opening()
for section, title in list(SECTIONS.items())[1:] if not ROOM.only_exhibit else ():
    st.subheader(title)
    with st.container(key=page_element_key("rooms", section)):
        for room in rooms():
            if room.section == section:
                layout.room_card(room.page, room.title, room.card, room.picture(layout.color_mode()))
