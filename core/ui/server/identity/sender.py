"""The visitor for whom a script runs, as stores count it: by the mark of the address."""

import streamlit as st
from starlette.requests import HTTPConnection
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.ui.server.identity.address import address_mark, address_of
from core.ui.server.identity.local import is_own_machine


def sender_mark() -> str:
    """Return the visitor's address mark; "" at one's own machine, where nobody else comes, and outside of a script."""
    if get_script_run_ctx(suppress_warning=True) is None or is_own_machine():
        return ""
    hops = [(b"x-forwarded-for", line.encode()) for line in st.context.headers.get_all("x-forwarded-for")]
    peer = (st.context.ip_address or "127.0.0.1", 0)
    return address_mark(address_of(HTTPConnection({"type": "http", "headers": hops, "client": peer})))
