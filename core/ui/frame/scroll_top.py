"""A page that shows another thing under the same address begins at its top, as a new page would."""

import streamlit as st

from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount


def begin_at_top(what: str) -> None:
    """Scroll to the top when this text is another one than at the last run; where nothing has changed, stay."""
    with st.container(key="top"):  # style.css takes it out of the layout
        mount("top", "top.widget", pack({"what": what}, {}))
