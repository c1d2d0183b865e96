"""The decoder: a GPT learns from any text, by guessing each next token."""

from core.rooms.decoder import ROOM

ROOM.header()

from core.rooms.decoder.inputs import DecoderInputs  # noqa: E402
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()

ROOM.show("next-words")  # its model learns in the next exhibit; the bar is for those that follow
ROOM.show("lens-film")
looked = render_inputs(DecoderInputs)
if looked is not None:
    ROOM.show("frozen-step", looked)
    ROOM.show("lens", looked)
ROOM.show("write")
if looked is not None:
    ROOM.show("last-row", looked)
ROOM.show("first-loss")
if looked is not None:
    ROOM.show("optimizer-step", looked)
    ROOM.show("leak-test", looked)
    ROOM.show("slips", looked)
