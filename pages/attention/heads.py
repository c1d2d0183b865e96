"""Attention heads: all heads of a model on any text, one of them in every detail, and what happens without them."""

from typing import Any

import streamlit as st

from core.rooms.heads import ROOM

ROOM.header()

from core import inputs  # noqa: E402
from core.rooms.heads.inputs import Head, Looked, why_no_effect  # noqa: E402
from core.ui import picks  # noqa: E402
from core.ui.controls import controls  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402

EXPERIMENTS = ("Switch heads off", "Set a row of weights")
ROOM.contents()


@st.fragment
def heads(looked: Looked) -> None:
    """All heads, the sliders and the open head: one fragment, so that a slider leaves the rest of the page alone.

    Inside it each picture is a fragment of its own: its controls draw it alone.
    """
    grid = st.container()
    head: Any = ask(Head, looked)
    if (
        picks.has_changed("heads.open", f"{head.layer}.{head.head}")
        and controls.now("experiment", "") == EXPERIMENTS[1]
    ):
        st.rerun()  # the row editor below looks at the open head too
    with grid:
        ROOM.show("all-heads", head)
    for name in ("one-head", "as-lines", "coordinates"):
        ROOM.show(name, head)


def open_head(looked: Looked) -> Head:
    """The head that is open: where the sliders stand."""
    head, config = Head(given=looked.given), looked.given.config
    layer, number = (int(controls.now(name, getattr(head, name))) for name in ("layer", "head"))
    return Head(given=looked.given, layer=min(layer, config.n_layer - 1), head=min(number, config.n_head - 1))


looked = ask(Looked)
if looked is not None:
    heads(looked)
    ROOM.say("Does it matter?")
    if why := why_no_effect(looked.given):
        st.info(why, icon=":material/info:")
    elif controls.ask(inputs.segmented("Experiment", EXPERIMENTS, EXPERIMENTS[0], name="experiment")) == EXPERIMENTS[0]:
        ROOM.show("switch-off", looked)
    else:
        ROOM.show("set-a-row", open_head(looked))
    ROOM.say("One picture for all layers?")
    ROOM.show("attention-rollout", looked)
