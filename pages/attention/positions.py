"""Positions: why attention needs position information, and the ways to provide it."""

from core.rooms.positions import ROOM

ROOM.header()

from core.rooms.positions.inputs import SentenceInputs  # noqa: E402  (the title first)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()

ROOM.show("who-saw-whom")
sentence = render_inputs(SentenceInputs)
ROOM.show("shuffle-words", sentence)
ROOM.show("causal-order", sentence)
ROOM.show("clock-hands")
ROOM.show("one-rotation")
ROOM.show("contest")
ROOM.show("learned-positions")
ROOM.show("rotary-pair")
ROOM.show("alibi-slopes-shown")
ROOM.show("t5-buckets")
ROOM.show("lecture-code")
ROOM.show("position-zero")
ROOM.show("slips")
