"""Masks: who may read whom, why the mask comes before the softmax, and what a mask of one's own lets through."""

import streamlit as st

from core.rooms.masks import ROOM

ROOM.header()

from core.rooms.masks.inputs import Head, Looked  # noqa: E402  (the title first)
from core.ui.exhibit.ask import ask  # noqa: E402

ROOM.contents()


@st.fragment
def one_head(looked: Looked) -> None:
    """The sliders Layer and Head, and all that follows them: moving one leaves the exhibits below alone."""
    head = ask(Head, looked)
    ROOM.show("kinds-of-masks", head)
    ROOM.say("Before the softmax, not after")
    ROOM.show("where-the-mask-belongs", head)
    ROOM.show("number-for-minus-infinity", head)
    ROOM.say("Further than one layer")
    ROOM.show("draw-your-own", head)


looked = ask(Looked)
if looked is not None:
    one_head(looked)
    ROOM.say("A batch of texts")
    ROOM.show("padding-against-causal", looked)
ROOM.say("And without any mask?")
ROOM.show("train-without")
