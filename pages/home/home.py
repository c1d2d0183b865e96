"""Home: the visitor's own sentence through a transformer at once, the ways on, then all rooms."""

import streamlit as st

from core.rooms import SECTIONS, rooms
from core.rooms.home import ROOM
from core.ui.exhibit.words import words_of
from core.ui.frame import layout

# Side by side where the picture is wide enough; on a slide it stands alone.
LAYOUT = """<style>
[data-testid="stLayoutWrapper"]:has(> .st-key-home-picture) { flex: 1 1 38rem; min-width: min(38rem, 100%); }
.gf-present [data-testid="stLayoutWrapper"]:has(> .st-key-home-words) { display: none; }
</style>"""


@st.fragment
def opening() -> None:
    """Words and ways at the left, the picture at the right. A sentence that is typed leaves the rest of the page."""
    with st.container(horizontal=True, gap="medium", key="home-opening"):
        with st.container(width=360, key="home-words"):
            said = words_of("home", "page")
            st.title(said.title, anchor=False)
            st.markdown(said.look_for)
            from core.lessons.page import cards  # the title stands before anything heavy is imported
            from core.rooms.home.sentence import Sentence
            from core.ui.exhibit.ask import ask

            with st.container(key="home-sentence"):
                sentence = ask(Sentence)
            cards.ways_on()
            ROOM.say("promise")
        with st.container(key="home-picture", width="stretch"):
            st.space(28)  # the page's menu lies here
            ROOM.show("sentence-through", sentence)


st.html(LAYOUT)
opening()
for section, title in list(SECTIONS.items())[1:]:
    st.subheader(title)
    with st.container(key=f"rooms-{section}"):
        for room in rooms():
            if room.section == section:
                layout.room_card(room.page, room.title, room.card, room.picture(layout.color_mode()))
