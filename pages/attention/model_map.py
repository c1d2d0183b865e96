"""Model map: the whole model on one screen, to be played, gone into, changed and rewound."""

from core.rooms.model_map import ROOM

ROOM.header()
ROOM.show("whole-model")
