"""Model map: the whole model on one screen, to play, zoom into, edit and rewind."""

from core.rooms.model_map import ROOM

ROOM.header()
ROOM.show("whole-model")
