"""The encoder-decoder: one side reads a text, the other writes one."""

from core.rooms.encoder_decoder import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("looks-back")
ROOM.show("swap")
ROOM.show("translate")
ROOM.show("roles")
ROOM.show("applications")
ROOM.show("maps")
ROOM.show("forced-or-free")
ROOM.show("beams")
ROOM.show("bleu-caveats")
