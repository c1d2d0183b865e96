"""Model sizes: weights, compute and memory, from your own to GPT-3."""

from core.rooms.sizes import ROOM

ROOM.header()

from core.rooms.sizes.inputs import OwnModelInputs  # noqa: E402  (the title is drawn before torch)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()

looked = render_inputs(OwnModelInputs)
if looked is not None:
    ROOM.show("scale", looked)
    ROOM.show_text("intro")
    ROOM.show_text("letters")
    ROOM.show("count", looked)
ROOM.show("law")
ROOM.show("slips")
