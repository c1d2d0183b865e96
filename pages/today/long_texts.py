"""Long texts: read beyond the trained length, what is lost and found there, and what the cache costs."""

from core.rooms.long_texts import ROOM

ROOM.header()
ROOM.contents()
for entry in ROOM.exhibits:
    ROOM.show(entry.name)
