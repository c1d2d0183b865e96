"""Soft and hard attention: a mixture of everything, or one place; and a class of code to repair."""

from core.rooms.hard_attention import ROOM

ROOM.header()
ROOM.contents()
ROOM.say("intro")
ROOM.say("set")
ROOM.show("three-ways")
ROOM.say("gradient")
ROOM.say("reinforce")
ROOM.show("score-gradients")  # the page is drawn anew when a training begins and ends
ROOM.say("A class full of mistakes")
ROOM.show("fix-the-code")
