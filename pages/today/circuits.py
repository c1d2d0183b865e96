"""Circuits: methods of interpretability, each with its control experiment."""

from core.rooms.circuits import ROOM

ROOM.header()
ROOM.contents()
for entry in ROOM.exhibits:
    ROOM.show(entry.name)
