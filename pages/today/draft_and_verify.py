"""Draft and verify: a cheap draft model writes ahead, the large model checks, and its output is unchanged."""

from core.rooms.draft_and_verify import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("rounds")
ROOM.show("same-distribution")
ROOM.show("when-it-pays")
ROOM.show("train-a-draft")
ROOM.show("what-can-be-guessed")
