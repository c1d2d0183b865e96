"""Fewer bits: weights rounded to a few levels, the loss of quality, and why outliers matter."""

from core.rooms.fewer_bits import ROOM

ROOM.header()

from core.rooms.fewer_bits.inputs import PromptInputs  # noqa: E402  (the title is drawn before torch is imported)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()

text = render_inputs(PromptInputs)
if text is not None:
    ROOM.show("how-many-bits", text)
ROOM.show("round-while-training")
ROOM.show("where-it-hurts")
if text is not None:
    ROOM.show("one-outlier", text)
