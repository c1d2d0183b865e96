"""Model sizes: weights, compute and memory, from your own to GPT-3."""

from core.rooms.sizes import ROOM

ROOM.header()

from core.rooms.sizes.inputs import OwnModelInputs  # noqa: E402  (the title is drawn before torch)
from core.ui.exhibit.ask import ask  # noqa: E402

ROOM.contents()

looked = ask(OwnModelInputs)
if looked is not None:
    ROOM.show("scale", looked)
    ROOM.say("intro")
    ROOM.say("letters")
    ROOM.show("count", looked)
ROOM.show("law")
ROOM.show("slips")
