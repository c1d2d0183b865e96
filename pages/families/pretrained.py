"""Open a pretrained model from a folder or an upload, and look at it in every room."""

from core.rooms.pretrained import ROOM

ROOM.header()

from core.rooms.pretrained.inputs import Looked  # noqa: E402  (the title stands before torch)
from core.ui.exhibit.ask import ask  # noqa: E402

ROOM.contents()

ROOM.say("intro")
ROOM.show("open-a-model")
ROOM.say("The models that are here")
looked = ask(Looked)
if looked is not None:
    ROOM.show("what-it-is", looked)
    ROOM.show("does-it-work", looked)
    ROOM.show("what-was-renamed", looked)
