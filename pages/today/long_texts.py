"""Long texts: reading beyond the trained length, needles found and missed there, and the cost of the cache."""

from core.rooms.long_texts import ROOM

ROOM.header()
ROOM.contents()
for entry in ROOM.exhibits:
    ROOM.show(entry.name)
