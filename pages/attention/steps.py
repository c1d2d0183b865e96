"""Attention, step by step: a soft dictionary, then one whole layer whose every cell explains itself."""

from core.rooms.step_by_step import ROOM

ROOM.header()
ROOM.contents()
for entry in ROOM.exhibits:
    ROOM.show(entry.name)
