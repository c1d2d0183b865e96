"""ImageGPT: pixels as tokens, a palette, completions, and what it learned on the way."""

from core.rooms.pixels import ROOM

ROOM.header()
ROOM.contents()
ROOM.say("story")
ROOM.show("quantise")
ROOM.say("Writing digits")
ROOM.show("training")
ROOM.show("complete")
ROOM.show("orders")
ROOM.say("What it costs, and what it is good for")
ROOM.show("quadratic")
ROOM.show("probe")
