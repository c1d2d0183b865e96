"""Soft and hard attention: a mixture of everything, or one place; and a class of code to repair."""

from core.rooms.hard_attention import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("card-game")
ROOM.show("three-ways")
ROOM.show("score-gradients")  # the page is redrawn when a training run begins and ends
ROOM.show("fix-the-code")
