"""Positions: why attention must be told the order of the words, and six ways to tell it."""

from core.ui import layout

layout.page_header(
    "Positions",
    "Attention alone does not know the order of the words. Here are the ways to tell it, what each one promises, and "
    "the proof on screen.",
)

from core.exhibits.positions import clocks  # noqa: E402  (the title stands before torch is imported)
from core.ui.frame import show  # noqa: E402

show(clocks.clock_hands)
show(clocks.one_rotation)
