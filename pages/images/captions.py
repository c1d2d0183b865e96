"""Captions: a decoder that reads a picture by cross-attention."""

from core.rooms.captions import ROOM

ROOM.header()
ROOM.contents()
ROOM.say("intro")
ROOM.say("how captions are made")
ROOM.show("training")
ROOM.say("Inside")
ROOM.show("look")
ROOM.show("swap")
ROOM.say("One vector for a whole picture")
ROOM.show("vec2seq")
