"""Heads at work: small models trained in front of the visitor, on tasks whose answer is known."""

from core.rooms.heads_at_work import ROOM

ROOM.header()
ROOM.contents()
for entry in ROOM.exhibits:
    ROOM.show(entry.name)
