"""The three families of transformers side by side: their purposes and abilities."""

from core.rooms.families import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("three-blocks")
ROOM.show("same-question")
ROOM.show("family-table")
ROOM.show("who-reads")
