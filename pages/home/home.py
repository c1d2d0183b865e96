"""Home: one sentence through a transformer at once, then the map of the rooms."""

import streamlit as st

from core.rooms import SECTIONS, rooms
from core.rooms.home import ROOM

ROOM.header()

from core.lessons.format import shelf  # noqa: E402  (the title stands before anything heavy is imported)
from core.lessons.page import cards  # noqa: E402
from core.ui.frame import layout  # noqa: E402

if not ROOM.alone:
    cards.where_to_begin(list(shelf.lessons().values()))
ROOM.show("sentence-through")
ROOM.say("promise")
ROOM.say("The rooms")
for section, title in list(SECTIONS.items())[1:] if not ROOM.alone else ():
    st.subheader(title)
    with st.container(key=f"rooms-{section}"):
        for room in rooms():
            if room.section == section:
                layout.room_card(room.page, room.title, room.card, room.picture(layout.color_mode()))
