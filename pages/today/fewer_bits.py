"""Fewer bits: weights rounded to a few levels, the loss of quality, and why outliers matter."""

from core.rooms.fewer_bits import ROOM

ROOM.header()

from core.rooms.fewer_bits.inputs import PromptInputs  # noqa: E402  (the title is drawn before torch is imported)
from core.ui.exhibit.ask import ask  # noqa: E402

ROOM.contents()

text = ask(PromptInputs)
if text is not None:
    ROOM.show("how-many-bits", text)
ROOM.show("round-while-training")
ROOM.show("where-it-hurts")
if text is not None:
    ROOM.show("one-outlier", text)
