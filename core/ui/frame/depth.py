"""The depth of the app: story or numbers. Numbers shows everything that Story shows, and more.

The visitor's choice in the page's menu applies to every page and to later visits. A link may set a depth
(`?depth=numbers`), which applies until the visitor chooses one, and is not remembered.
"""

from collections.abc import Mapping
from typing import Literal, get_args

import streamlit as st

from core.ui import state
from core.ui.controls import persist
from core.ui.frame.element_keys import frame_key

Depth = Literal["story", "numbers"]
DEPTHS: tuple[Depth, ...] = get_args(Depth)
FORMER: Mapping[str, Depth] = {"formula": "numbers", "code": "numbers"}  # in old links and lessons
DEFAULT: Depth = "story"
PARAMETER = "depth"
HELP = (
    "How much you see. **Story**: pictures and plain words. **Numbers**: also units and finer controls, and below each "
    "picture its table, its formula with your own numbers, and the code that ran."
)
_KEY = frame_key("depth", "choice")
_LINKED = "depth.linked"


def depth() -> Depth:
    """Return the depth in force for this visitor."""
    asked = st.query_params.get(PARAMETER)
    asked = FORMER.get(asked or "", asked)
    if asked in DEPTHS and state.slot(_LINKED, str) != asked:  # a link that was just opened
        state.put(_LINKED, asked)
        state.put("depth", asked)
    chosen = state.slot("depth", lambda: persist.recall(PARAMETER))
    chosen = FORMER.get(chosen or "", chosen)
    return next((one for one in DEPTHS if one == chosen), DEFAULT)


def at_least(wanted: Depth) -> bool:
    """Return whether content of this depth is shown."""
    return wanted == DEPTHS[0] or DEPTHS.index(depth()) >= DEPTHS.index(wanted)


def measured(name: str, unit: str) -> str:
    """Return the axis label of a quantity, with its unit from the depth Numbers on."""
    return f"{name} ({unit})" if at_least("numbers") else name


def unit(name: str) -> str:
    """Return a unit to put after a number, such as " nats", from the depth Numbers on; "" below it."""
    return f" {name}" if at_least("numbers") else ""


def note(text: str, wanted: Depth = "numbers") -> None:
    """Show a caption from this depth on."""
    if at_least(wanted):
        st.caption(text)


def choose() -> None:
    """Draw the choice of depth, at most once per page and before the page itself."""
    st.session_state[_KEY] = depth()
    with st.container(key=frame_key("depth"), width=360):
        st.segmented_control(
            "Depth",
            DEPTHS,
            required=True,
            format_func=str.capitalize,
            key=_KEY,
            on_change=_chosen,
            width="stretch",
        )
        st.caption(HELP)


def _chosen() -> None:
    wanted = st.session_state[_KEY]
    if wanted not in DEPTHS:
        return  # a forged message
    state.put("depth", wanted)
    persist.keep(PARAMETER, wanted)
    if PARAMETER in st.query_params:  # otherwise a reload would restore the link's depth
        state.put(_LINKED, wanted)
        st.query_params[PARAMETER] = wanted
