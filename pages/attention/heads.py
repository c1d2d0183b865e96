"""Attention heads: all heads of a model on any text, one of them in every detail, and the effect of their removal."""

import streamlit as st

from core.rooms.heads import ROOM

ROOM.header()

from core.rooms.heads.inputs import HeadInputs, HeadsInputs, why_no_effect  # noqa: E402
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()


looked = render_inputs(HeadsInputs)
if looked is not None:
    grid, why = st.container(), why_no_effect(looked.given)
    if why:
        st.info(why, icon=":material/info:")
    else:
        ROOM.show("switch-off", looked)
    head = render_inputs(HeadInputs, looked)  # below the first pictures, which depend on it nevertheless
    with grid:
        ROOM.show("all-heads", head)
    for name in ("one-head", "as-lines", *([] if why else ["set-a-row"])):
        ROOM.show(name, head)
    ROOM.show("attention-rollout", looked)
