"""Sequence to sequence: an encoder reads, a decoder writes, and attention looks back."""

from core.rooms.seq2seq import ROOM

ROOM.header()
ROOM.contents()
ROOM.say("intro")
ROOM.show("bottleneck")
ROOM.say("A translation that can be checked")
ROOM.show("dates")
ROOM.say("Inside the attention")
ROOM.show("alignment")
ROOM.show("override")
ROOM.say("Reading the truth, or its own words")
ROOM.show("forcing")
