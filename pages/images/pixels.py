"""ImageGPT: pixels as tokens, a palette, completions, and the features that it learns."""

from core.rooms.pixels import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("complete")
ROOM.show_text("story")
ROOM.show("quantise")
ROOM.show("training")
ROOM.show("orders")
ROOM.show("quadratic")
ROOM.show("probe")
