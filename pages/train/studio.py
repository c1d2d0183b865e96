"""The training studio: press Train and watch a small language model learn to write."""

import streamlit as st

from core.rooms.studio import ROOM
from core.ui.frame.element_keys import frame_key

ROOM.header()

from core.rooms.studio import chosen_run, film, live, runs, setup, watch  # noqa: E402  (the title first)
from core.ui.exhibit.exhibit import Exhibit, show  # noqa: E402
from core.ui.frame.depth import at_least  # noqa: E402

look = chosen_run.look()
run_pace, film_pace = look.pace
if look.run is None:
    setup.panel()
    with st.container(border=True, key=frame_key("studio-empty")):
        st.subheader("What will happen here")
        ROOM.say("what will happen")
elif run_pace is None:
    show(Exhibit.of(live, "live"), look.run, within=setup.set_beside)
else:  # it is looked at again and again: its settings stand apart, or nobody could choose in them
    show(Exhibit.of(live, "live"), look.run, every=run_pace)
if look.run is not None:
    show(Exhibit.of(film, "film"), look.run, every=film_pace)
    show(Exhibit.of(watch, "watch"), look.run, every=film_pace, is_folded=not at_least("numbers"))
if run_pace is not None:
    setup.panel()
show(Exhibit.of(runs, "runs"), every=chosen_run.runs_pace())
