"""Next token: a model's predictions at each position of a text, and how it writes a text from them."""

from core.rooms.next_token import ROOM

ROOM.header()

from core.rooms.next_token.inputs import NextTokenInputs, PositionInputs  # noqa: E402  (the title is drawn before torch is imported)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()
looked = render_inputs(NextTokenInputs)
if looked is not None:
    ROOM.show("write", looked)
    place = render_inputs(PositionInputs, looked)
    ROOM.show("what-comes-next", place)
    ROOM.show("each-token", place)
