"""The training studio: press Train and watch a small language model learn to write."""

import streamlit as st

from core.data.localization.labels import module_labels
from core.rooms.studio import ROOM
from core.ui.frame.element_keys import page_element_key

ROOM.header()

from core.rooms.studio import film, live, runs, selected_run, setup, watch  # noqa: E402  (the title first)
from core.ui.exhibit.exhibit import Exhibit, render_exhibit  # noqa: E402
from core.ui.frame.depth import depth_at_least  # noqa: E402

run = selected_run.current_run()
run_interval, film_interval = run.poll_intervals if run else (None, None)
if run is None:
    setup.run_panel()
    with st.container(border=True, key=page_element_key("studio-empty")):
        st.subheader(module_labels(ROOM.package)["what_will_happen"])
        ROOM.show_text("what will happen")
elif run_interval is None:
    render_exhibit(Exhibit.from_module(live, "live"), run, wrapper=setup.setup_rail)
else:  # it is polled, so its settings are outside; otherwise nobody could use them
    render_exhibit(Exhibit.from_module(live, "live"), run, poll_interval=run_interval)
if run is not None:
    render_exhibit(Exhibit.from_module(film, "film"), run, poll_interval=film_interval)
    render_exhibit(
        Exhibit.from_module(watch, "watch"), run, poll_interval=film_interval, is_folded=not depth_at_least("numbers")
    )
if run_interval is not None:
    setup.run_panel()
render_exhibit(Exhibit.from_module(runs, "runs"), poll_interval=selected_run.table_poll_interval())
