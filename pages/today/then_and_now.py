"""Then and now: the block of 2017 and one of today, and what each of the nine switches between them does."""

from core.rooms.then_and_now import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("two-blocks")
ROOM.show("your-switches")
ROOM.show("prices")
