"""The address of the visitor whom a page is drawn for."""

import streamlit as st
from starlette.requests import HTTPConnection

from core.ui.server.identity.address import address_of


def visitor_address() -> str:
    """Return the address of this page's visitor, as `address_of` counts it; for scripts of pages."""
    headers = [
        (name.lower().encode("latin-1", "replace"), value.encode("latin-1", "replace"))
        for name in set(st.context.headers)
        for value in st.context.headers.get_all(name)
    ]
    peer = (st.context.ip_address or "127.0.0.1", 0)  # Streamlit says None for this machine
    return address_of(HTTPConnection({"type": "http", "headers": headers, "client": peer}))
