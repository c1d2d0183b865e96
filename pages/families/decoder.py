"""The decoder: a GPT learns from any text, by guessing each next token."""

from core.rooms.decoder import ROOM

ROOM.header()

from core.rooms.decoder.inputs import DecoderInputs  # noqa: E402
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()

looked = render_inputs(DecoderInputs)
ROOM.show("lens-film")
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
