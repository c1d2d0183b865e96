"""The encoder: a BERT reads in both directions, learns from gaps, and is then taught a task."""

from core.rooms.encoder import ROOM

ROOM.header()
ROOM.contents()
ROOM.say("intro")
ROOM.show("masking-lab")
ROOM.say("Learning from gaps")
ROOM.show("pretrain")
ROOM.show("gaps")
ROOM.show("together")
ROOM.say("BERT's second task")
ROOM.show("next-sentence")
ROOM.show("slips")
ROOM.say("To the right of the gap")
ROOM.show("directions")
ROOM.say("Fine-tuning")
ROOM.show("finetune")
ROOM.show("class-attention")
ROOM.show("entities")
