"""Adapters: LoRA on a frozen model, its rank, its update as a matrix, merged and switched off."""

from core.rooms.adapters import ROOM

ROOM.header()
ROOM.contents()
for entry in ROOM.exhibits:
    ROOM.show(entry.name)
