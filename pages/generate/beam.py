"""Beam search: several texts kept at once, drawn as a tree and held against the truth."""

from core.rooms.beam import ROOM

ROOM.header()

from core.rooms.beam.tree import Looked  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402

ROOM.contents()

ROOM.say("intro")
ROOM.say("formula")
looked = ask(Looked)
if looked is not None:
    ROOM.show("tree", looked)
ROOM.say("Does it find the best text?")
ROOM.show("truth")
ROOM.say("How many candidates does a step need?")
ROOM.show("b-squared")
