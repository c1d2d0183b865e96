"""Masks: a model trained without one, the tokens that each token may read, and the mask's place before the softmax."""

import streamlit as st

from core.rooms.masks import ROOM

ROOM.header()

from core.rooms.masks.inputs import MaskHeadInputs, MasksInputs  # noqa: E402  (the title first)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()
ROOM.show("train-without")  # it trains its own models; the bar is for the exhibits that follow


looked = render_inputs(MasksInputs)
if looked is not None:
    kinds = st.container()
    head = render_inputs(MaskHeadInputs, looked)  # below the first picture, which depends on it nevertheless
    with kinds:
        ROOM.show("kinds-of-masks", head)
    for name in ("draw-your-own", "where-the-mask-belongs", "number-for-minus-infinity"):
        ROOM.show(name, head)
    ROOM.show("padding-against-causal", looked)
