"""The block: a token's way through it, its norms, its feed-forward layer, and where the parameters are."""

import streamlit as st

from core.rooms.block import ROOM

ROOM.header()

from core.rooms.block.inputs import BlockInputs, BlockTokenInputs  # noqa: E402  (the title first)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()


@st.fragment
def one_token(looked: BlockInputs) -> None:
    """The way of a token, the sliders Layer and Token, and the units: a slider leaves the exhibits below alone."""
    way = st.container()
    place = render_inputs(BlockTokenInputs, looked)  # below the first picture, which depends on it nevertheless
    with way:
        ROOM.show("through-the-block", place)
    ROOM.show("units", place)


looked = render_inputs(BlockInputs)
if looked is not None:
    one_token(looked)
for name in ("tokens-become-identical", "gradients-with-depth", "shape-stays", "nonlinearity"):
    ROOM.show(name)
if looked is not None:
    ROOM.show("where", looked)
ROOM.show("slips")
