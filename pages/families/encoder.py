"""The encoder: a BERT reads in both directions, learns from gaps, and is then taught a task."""

from core.rooms.encoder import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("gaps")
ROOM.show("masking-lab")
ROOM.show("pretrain")
ROOM.show("finetune")
ROOM.show("together")
ROOM.show("directions")
ROOM.show("class-attention")
ROOM.show("entities")
ROOM.show("next-sentence")
ROOM.show("slips")
