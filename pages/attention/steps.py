"""Attention, step by step: a soft dictionary, then one whole layer whose every cell explains itself."""

from core.rooms.step_by_step import ROOM

ROOM.header()
ROOM.contents()
ROOM.say("The idea: look up, but softly")
ROOM.show("soft-look-up")
ROOM.say("One layer, small enough to check")
ROOM.show("whole-walk")
ROOM.say("Divided by a root")
ROOM.show("why-the-root")
ROOM.show("where-the-root-stands")
ROOM.say("Many heads, and what they cost")
ROOM.show("many-heads")
ROOM.show("cost")
ROOM.say("Slips in the notes")
ROOM.show("slips")
