"""Captions: a decoder that reads a picture by cross-attention."""

from core.rooms.captions import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("look")
ROOM.show_text("intro")
ROOM.show("swap")
ROOM.show_text("how captions are made")
ROOM.show("training")
ROOM.show_text("vec2seq")
ROOM.show("vec2seq")
