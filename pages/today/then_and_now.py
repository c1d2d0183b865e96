"""Then and now: the block of 2017 and one of today, and the effect of each of the nine switches between them."""

from core.rooms.then_and_now import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("two-blocks")
ROOM.show("your-switches")
ROOM.show("prices")
