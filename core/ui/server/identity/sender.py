"""The visitor for whom a script runs, as stores count it: by the mark of the address."""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.ui.server.identity.address import address_in, address_mark
from core.ui.server.identity.local import is_own_machine


def sender_mark() -> str:
    """Return the visitor's address mark; "" at one's own machine, where nobody else comes, and outside of a script."""
    if get_script_run_ctx(suppress_warning=True) is None or is_own_machine():
        return ""
    return address_mark(address_in(st.context.ip_address or "127.0.0.1", st.context.headers.get_all("x-forwarded-for")))
