"""Sweeps: one recipe trained with many settings, to see which of them matter."""

from core.rooms.sweeps import ROOM

ROOM.header()

from core.rooms.sweeps import best_of_each, outcome, selected_sweep, setup  # noqa: E402  (the title first)
from core.ui.exhibit.exhibit import Exhibit, render_exhibit  # noqa: E402

given, listed = selected_sweep.current_sweep()
within = selected_sweep.choose_sweep(given.sweep_id, listed)
first = Exhibit.from_module(best_of_each, "best-of-each")
render_exhibit(first, given, poll_interval=given.poll_interval, wrapper=within)
render_exhibit(Exhibit.from_module(outcome, "outcome"), given, poll_interval=given.poll_interval)
setup.sweep_panel()
