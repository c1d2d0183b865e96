"""Three families of transformers side by side: what each is for, and what each can do."""

from core.rooms.families import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("three-blocks")
ROOM.show("same-question")
ROOM.show("family-table")
ROOM.show("who-reads")
