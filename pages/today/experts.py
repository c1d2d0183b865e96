"""Experts: a mixture of experts trained live, next to a dense model with equal compute."""

from core.rooms.experts import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("token-flow")
ROOM.show("same-work")
ROOM.show("a-trillion")
