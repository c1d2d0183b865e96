"""The encoder-decoder: one side reads a text, the other writes one."""

from core.rooms.encoder_decoder import ROOM

ROOM.header()
ROOM.contents()
ROOM.say("intro")
ROOM.show("translate")
ROOM.say("The bridge")
ROOM.show("roles")
ROOM.show("maps")
ROOM.show("swap")
ROOM.say("Trained with the truth, used without")
ROOM.show("forced-or-free")
ROOM.show("rivals")
ROOM.say("Searching and judging")
ROOM.show("beams")
ROOM.show("bleu-caveats")
ROOM.say("One model, many uses")
ROOM.show("applications")
