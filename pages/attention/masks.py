"""Masks: what a model learns without one, who may read whom, and why the mask comes before the softmax."""

import streamlit as st

from core.rooms.masks import ROOM

ROOM.header()

from core.rooms.masks.inputs import Head, Looked  # noqa: E402  (the title first)
from core.ui.exhibit.ask import ask  # noqa: E402

ROOM.contents()
ROOM.show("train-without")  # it trains models of its own: the bar is for all that follow


looked = ask(Looked)
if looked is not None:
    kinds = st.container()
    head = ask(Head, looked)  # below the first picture, which follows it all the same
    with kinds:
        ROOM.show("kinds-of-masks", head)
    for name in ("draw-your-own", "where-the-mask-belongs", "number-for-minus-infinity"):
        ROOM.show(name, head)
    ROOM.show("padding-against-causal", looked)
