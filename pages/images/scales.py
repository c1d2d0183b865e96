"""A multi-scale ViT: windows, patch merging, stages."""

from core.rooms.multiscale import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("reach")
ROOM.say("intro")
ROOM.say("other ways")
ROOM.show("stages")
