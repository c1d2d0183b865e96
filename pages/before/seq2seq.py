"""Sequence to sequence: an encoder reads, a decoder writes, and attention looks back."""

from core.rooms.seq2seq import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("dates")
ROOM.show("bottleneck")
ROOM.show("alignment")
ROOM.show("override")
ROOM.show("forcing")
