"""Attention, step by step: a soft dictionary, then one whole layer in which every cell is explained."""

from core.rooms.step_by_step import ROOM

ROOM.header()
ROOM.contents()
for entry in ROOM.exhibits:
    ROOM.show(entry.name)
