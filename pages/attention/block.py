"""The block: a token's way through it, its norms, its feed-forward layer, and where the parameters are."""

import streamlit as st

from core.rooms.block import ROOM

ROOM.header()

from core.rooms.block.inputs import Looked, Place  # noqa: E402  (the title first)
from core.ui.exhibit.ask import ask  # noqa: E402

ROOM.contents()


@st.fragment
def one_token(looked: Looked) -> None:
    """The sliders Layer and Token, and all that follows them: moving one leaves the exhibits below alone."""
    place = ask(Place, looked)
    ROOM.show("through-the-block", place)
    ROOM.show("units", place)


looked = ask(Looked)
if looked is not None:
    ROOM.say("stream")
    one_token(looked)
ROOM.say("The norm")
ROOM.show("shape-stays")
ROOM.say("The nonlinearity")
ROOM.show("nonlinearity")
ROOM.say("The depth")
ROOM.show("gradients-with-depth")
ROOM.show("tokens-become-identical")
ROOM.show("slips")
if looked is not None:
    ROOM.say("The size")
    ROOM.show("where", looked)
