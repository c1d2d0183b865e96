"""Recurrent nets: a state that is carried from word to word, its gates, both directions, and how it forgets."""

from core.rooms.recurrent import ROOM

ROOM.header()

from core.rooms.recurrent.inputs import RecurrentInputs  # noqa: E402  (title first)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()

ROOM.show("first-letter")
ROOM.show("remember")
ROOM.show("forgetting-by-distance")
looked = render_inputs(RecurrentInputs)
if looked is not None:
    ROOM.show("unrolled", looked)
    ROOM.show("from-both-ends", looked)
