"""Open a pretrained model from a folder or an upload, and look at it in every room."""

from core.rooms.pretrained import ROOM

ROOM.header()

from core.rooms.pretrained.inputs import Looked  # noqa: E402  (the title stands before torch)
from core.ui.exhibit.ask import ask  # noqa: E402

ROOM.contents()

looked = ask(Looked)
if looked is not None:
    ROOM.show("every-number", looked)
    ROOM.show("does-it-work", looked)
ROOM.show("open-a-model")
if looked is not None:
    ROOM.show("what-it-is", looked)
