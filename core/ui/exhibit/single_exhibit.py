"""A page with a single exhibit, for phones that have scanned a teacher's code: `?only=all-heads`."""

import streamlit as st

from core.data.localization.labels import module_labels
from core.data.name_suggestions import suggest_names
from core.ui.frame import layout
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import escape_markdown

LABELS = module_labels(__name__)

PARAMETER = "only"


def requested_exhibit(names: set[str]) -> str:
    """Return the single exhibit of these that the address asks for; "" for the whole page."""
    name = st.query_params.get(PARAMETER, "")
    return name if name in names else ""


def warn_of_unknown_exhibit(names: set[str]) -> None:
    """Say that the address asks for an exhibit that isn't among these; all are shown then."""
    name = st.query_params.get(PARAMETER, "")
    if name and name not in names:
        asked = escape_markdown(name[:60])
        st.warning(LABELS("unknown_exhibit", name=asked) + suggest_names(name, names))


def show_whole_room_button() -> None:
    """Draw the button that leads to the whole page, the only element around the exhibit."""
    layout.apply_styles("alone")
    with st.container(key=page_element_key("alone")):
        st.button(LABELS["whole_room"], icon=":material/open_in_full:", type="tertiary", on_click=_leave)


def _leave() -> None:
    st.query_params.pop(PARAMETER, None)
