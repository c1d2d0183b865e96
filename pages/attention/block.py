"""The block: a token's way through it, its norms, its feed-forward layer, and where the parameters are."""

import streamlit as st

from core.rooms.block.room import ROOM
from core.ui.exhibit.prose import header, prose

header(ROOM)

from core.rooms.block.inputs import Looked, Place  # noqa: E402  (the title first)
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)


@st.fragment
def one_token(looked: Looked) -> None:
    """The sliders Layer and Token, and all that follows them: moving one leaves the exhibits below alone."""
    place = ask(Place, looked)
    show(ROOM["through-the-block"], place)
    show(ROOM["units"], place)


looked = ask(Looked)
if looked is not None:
    prose(ROOM, "stream")
    one_token(looked)
prose(ROOM, "The norm")
show(ROOM["shape-stays"])
prose(ROOM, "The nonlinearity")
show(ROOM["nonlinearity"])
prose(ROOM, "The depth")
show(ROOM["gradients-with-depth"], every=live.pace("depth"))
show(ROOM["tokens-become-identical"], every=live.pace("depth"))
show(ROOM["slips"])
if looked is not None:
    prose(ROOM, "The size")
    show(ROOM["where"], looked)
