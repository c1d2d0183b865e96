"""The training studio: press Train and watch a small language model learn to write."""

import streamlit as st

from core.rooms.studio import ROOM
from core.ui.frame.element_keys import frame_key

ROOM.header()

from core.rooms.studio import film, live, runs, selected_run, setup, watch  # noqa: E402  (the title first)
from core.ui.exhibit.exhibit import Exhibit, show  # noqa: E402
from core.ui.frame.depth import at_least  # noqa: E402

run = selected_run.current_run()
run_interval, film_interval = run.poll_intervals if run else (None, None)
if run is None:
    setup.run_panel()
    with st.container(border=True, key=frame_key("studio-empty")):
        st.subheader("What will happen here")
        ROOM.say("what will happen")
elif run_interval is None:
    show(Exhibit.of(live, "live"), run, within=setup.setup_rail)
else:  # it is polled, so its settings are outside; otherwise nobody could use them
    show(Exhibit.of(live, "live"), run, every=run_interval)
if run is not None:
    show(Exhibit.of(film, "film"), run, every=film_interval)
    show(Exhibit.of(watch, "watch"), run, every=film_interval, is_folded=not at_least("numbers"))
if run_interval is not None:
    setup.run_panel()
show(Exhibit.of(runs, "runs"), every=selected_run.table_poll_interval())
