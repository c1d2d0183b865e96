"""A multi-scale ViT: windows, patch merging, stages."""

from core.rooms.multiscale import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("reach")
ROOM.show_text("intro")
ROOM.show_text("other ways")
ROOM.show("stages")
