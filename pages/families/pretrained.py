"""Pretrained models: opened from a folder or an upload, to look at in every room."""

from core.rooms.pretrained import ROOM

ROOM.header()

from core.rooms.pretrained.inputs import ModelInputs  # noqa: E402  (the title is drawn before torch)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()

looked = render_inputs(ModelInputs)
if looked is not None:
    ROOM.show("changed-numbers", looked)
    ROOM.show("every-number", looked)
    ROOM.show("does-it-work", looked)
ROOM.show("open-a-model")
if looked is not None:
    ROOM.show("what-it-is", looked)
