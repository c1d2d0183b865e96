"""Circuits: what careful people do with a model, each method with its control."""

from core.rooms.circuits import ROOM

ROOM.header()
ROOM.contents()
for entry in ROOM.exhibits:
    ROOM.show(entry.name)
