"""Experts: a mixture of experts trained live, beside a dense model of the same work."""

from core.rooms.experts import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("token-flow")
ROOM.show("same-work")
ROOM.show("a-trillion")
