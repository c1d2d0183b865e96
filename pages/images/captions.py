"""Captions: a decoder that reads a picture by cross-attention."""

from core.rooms.captions import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("look")
ROOM.say("intro")
ROOM.show("swap")
ROOM.say("how captions are made")
ROOM.show("training")
ROOM.say("vec2seq")
ROOM.show("vec2seq")
