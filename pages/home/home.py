"""Home: the visitor's own sentence in a transformer, links to start from, then all rooms."""

import streamlit as st

from core.rooms import SECTIONS, rooms
from core.rooms.home import ROOM
from core.ui.exhibit.words import words_of
from core.ui.frame import layout
from core.ui.frame.element_keys import frame_key


@st.fragment
def opening() -> None:
    """Draw text and links at the left, the picture at the right. Typing a sentence doesn't rerun the whole page."""
    with st.container(horizontal=True, gap="medium", key=frame_key("home-opening")):
        with st.container(width=320, key=frame_key("home-words")):
            said = words_of("home", "page")
            st.title(said.title, anchor=False)
            st.markdown(said.look_for)
            from core.lessons.page import cards  # the title is drawn before anything heavy is imported
            from core.rooms.home.sentence import HomeSentence
            from core.ui.exhibit.ask import ask

            with st.container(key=frame_key("home-sentence")):
                sentence = ask(HomeSentence)
            cards.ways_on()
            ROOM.say("promise")
        with st.container(key=frame_key("home-picture"), width="stretch"):
            st.space(28)  # room for the page's menu
            ROOM.show("sentence-through", sentence)


if ROOM.alone:
    ROOM.header()
    ROOM.show("sentence-through")
else:
    opening()
for section, title in list(SECTIONS.items())[1:] if not ROOM.alone else ():
    st.subheader(title)
    with st.container(key=frame_key("rooms", section)):
        for room in rooms():
            if room.section == section:
                layout.room_card(room.page, room.title, room.card, room.picture(layout.color_mode()))
