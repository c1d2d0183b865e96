"""The encoder: a BERT reads in both directions, learns by filling gaps, and is then fine-tuned on a task."""

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
