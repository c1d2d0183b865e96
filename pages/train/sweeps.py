"""Sweeps: one training with many settings, to see which of them matter."""

from core.rooms.sweeps import ROOM

ROOM.header()

from core.rooms.sweeps import chosen, outcome, setup  # noqa: E402  (the title first)
from core.ui.exhibit.exhibit import Exhibit, show  # noqa: E402

look = chosen.look()
show(Exhibit.of(outcome, "outcome"), look.given, every=look.pace, within=chosen.choose(look))
setup.panel()
