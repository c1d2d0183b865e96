"""A multi-scale ViT: windows, patch merging, stages."""

from core.rooms.multiscale import ROOM

ROOM.header()
ROOM.contents()
ROOM.say("intro")
ROOM.show("stages")
ROOM.say("swin")
ROOM.say("other ways")
ROOM.say("On digits")
ROOM.show("training")
ROOM.say("From the window to the whole")
ROOM.show("reach")
