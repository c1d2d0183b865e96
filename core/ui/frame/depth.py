"""The depth of the app: story or numbers. Numbers shows everything that Story shows, and more.

The visitor's choice in the page's menu applies to every page and to later visits. A link may set a depth
(`?depth=numbers`), which applies until the visitor chooses one, and is not remembered.
"""

from collections.abc import Mapping
from typing import Literal, get_args

import streamlit as st

from core.data.localization.labels import module_labels
from core.ui import state
from core.ui.controls import browser_storage
from core.ui.frame.element_keys import page_element_key

LABELS = module_labels(__name__)

Depth = Literal["story", "numbers"]
DEPTHS: tuple[Depth, ...] = get_args(Depth)
FORMER_DEPTHS: Mapping[str, Depth] = {"formula": "numbers", "code": "numbers"}  # in old links and lessons
DEFAULT: Depth = "story"
PARAMETER = "depth"
NAMES: Mapping[Depth, str] = LABELS.options("depth", *DEPTHS)
HELP = LABELS["help"]
_KEY = page_element_key("depth", "choice")
_LINKED = "depth.linked"


def content_depth() -> Depth:
    """Return the depth in force for this visitor."""
    asked = st.query_params.get(PARAMETER)
    asked = FORMER_DEPTHS.get(asked or "", asked)
    if asked in DEPTHS and state.session_slot(_LINKED, str) != asked:  # a link that was just opened
        state.set_session_slot(_LINKED, asked)
        state.set_session_slot("depth", asked)
    chosen = state.session_slot("depth", lambda: browser_storage.load_from_browser(PARAMETER))
    chosen = FORMER_DEPTHS.get(chosen or "", chosen)
    return next((one for one in DEPTHS if one == chosen), DEFAULT)


def depth_at_least(wanted: Depth) -> bool:
    """Return whether content of this depth is shown."""
    return wanted == DEPTHS[0] or DEPTHS.index(content_depth()) >= DEPTHS.index(wanted)


def quantity_label(name: str, unit: str) -> str:
    """Return the axis label of a quantity, with its unit from the depth Numbers on."""
    return f"{name} ({unit})" if depth_at_least("numbers") else name


def unit_suffix(name: str) -> str:
    """Return a unit to put after a number, such as " nats", from the depth Numbers on; "" below it."""
    return f" {name}" if depth_at_least("numbers") else ""


def _depth_caption(text: str, wanted: Depth = "numbers") -> None:
    """Show a caption from this depth on."""
    if depth_at_least(wanted):
        st.caption(text)


def choose_content_depth() -> None:
    """Draw the choice of depth, at most once per page and before the page itself."""
    st.session_state[_KEY] = content_depth()
    with st.container(key=page_element_key("depth"), width=360):
        st.segmented_control(
            LABELS["depth"],
            DEPTHS,
            required=True,
            format_func=NAMES.__getitem__,
            key=_KEY,
            on_change=_chosen,
            width="stretch",
        )
        st.caption(HELP)


def _chosen() -> None:
    wanted = st.session_state[_KEY]
    if wanted not in DEPTHS:
        return  # a forged message
    state.set_session_slot("depth", wanted)
    browser_storage.store_in_browser(PARAMETER, wanted)
    if PARAMETER in st.query_params:  # otherwise a reload would restore the link's depth
        state.set_session_slot(_LINKED, wanted)
        st.query_params[PARAMETER] = wanted
