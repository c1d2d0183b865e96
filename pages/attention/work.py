"""Heads at work: small models trained in front of the visitor, on tasks whose answer is known."""

from core.rooms.heads_at_work import ROOM

ROOM.header()
ROOM.contents()
ROOM.say("intro")
ROOM.show("three-switches")
ROOM.say("One head writes, another reads")
ROOM.show("induction")
ROOM.say("Is a map an explanation?")
ROOM.show("explanation")
