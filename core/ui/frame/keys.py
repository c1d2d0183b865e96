"""Keys for the whole page, and presenter mode: `p` and Esc, arrows from exhibit to exhibit, `?` for the list.

All of it happens in the browser (assets/widgets/page/keys.js); the server only puts the script, its two buttons and the
style of presenter mode on the page.
"""

import streamlit as st

from core.ui.frame.layout import BRAND
from core.ui.widgets.mount import renderer


def place() -> None:
    """Put the buttons into the sidebar and the listeners, once, on the page."""
    st.html(BRAND / "presenter.css")
    with st.sidebar, st.container(key="keys"):
        renderer("keys", height=34)(key="keys.widget")
