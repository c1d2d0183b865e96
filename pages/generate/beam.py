"""Beam search: several texts at once, drawn as a tree and compared with the exact optimum."""

from core.rooms.beam import ROOM

ROOM.header()

from core.rooms.beam.tree import BeamInputs  # noqa: E402
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()

looked = render_inputs(BeamInputs)
if looked is not None:
    ROOM.show("which-first-word", looked)
    ROOM.show("tree", looked)
ROOM.show("truth")
ROOM.show("b-squared")
