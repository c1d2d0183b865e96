"""Tokens: a text falls into pieces, the pieces get numbers, and the numbers become vectors."""

from core.rooms.tokens import ROOM

ROOM.header()

from core.rooms.tokens.inputs import TextInputs  # noqa: E402  (the title is drawn before torch is imported)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()

ROOM.show("bpe-is-born")
to_cut = render_inputs(TextInputs)
if to_cut is not None:
    ROOM.show("four-ways", to_cut)
ROOM.show("one-hot-look-up")
if to_cut is not None:
    ROOM.show("how-large", to_cut)
ROOM.show("own-tokens")
