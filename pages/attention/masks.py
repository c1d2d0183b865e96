"""Masks: who may read whom, why the mask comes before the softmax, and what a mask of one's own lets through."""

import streamlit as st

from core.ui.frame import layout

layout.page_header(
    "Masks",
    "A mask says who may read whom. See what it does, where it belongs, and what a model learns without one. Then "
    "draw your own.",
)

from core.rooms.masks.inputs import Head, Looked  # noqa: E402  (the title first)
from core.rooms.masks.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)


@st.fragment
def one_head(looked: Looked) -> None:
    """The sliders Layer and Head, and all that follows them: moving one leaves the exhibits below alone."""
    head = ask(Head, looked)
    show(ROOM["kinds-of-masks"], head)
    layout.section(
        "Before the softmax, not after",
        "Attention first gives each pair of tokens a number, its **scores**. The **softmax** then turns each row of "
        "scores into shares that sum to 1. The same mask can go before or after it: here are four ways.",
    )
    show(ROOM["where-the-mask-belongs"], head)
    show(ROOM["number-for-minus-infinity"], head)
    layout.section("Further than one layer", "A mask limits one layer. Stack layers, and information travels further.")
    show(ROOM["draw-your-own"], head)


looked = ask(Looked)
if looked is not None:
    one_head(looked)
    layout.section(
        "A batch of texts",
        "A **batch** is several texts computed together. Shorter ones are padded to the length of the longest, so a "
        "second mask gets a job of its own.",
    )
    show(ROOM["padding-against-causal"], looked)
layout.section(
    "And without any mask?",
    "A language model learns to predict what comes next. Train one that may peek, on the same text and from the same "
    "start.",
)
show(ROOM["train-without"], every=live.pace("cheating"))
