"""Error handling: a message and an id on the page, the trace with the same id in the log. Never a traceback."""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.errors import FragmentHandledException

_LOG = logging.getLogger("glassformer")


def log_fault(error: BaseException) -> str:
    """Write the trace to the log and return its id (8 hexadecimal digits)."""
    fault_id = secrets.token_hex(4)
    _LOG.error("Fault %s", fault_id, exc_info=error)
    return fault_id


def show_fault(error: BaseException, *, what: str = "This page") -> str:
    """Log the error, show a message at the caller's place on the page, and return the id."""
    fault_id = log_fault(error)
    hint = "Try other values, or reload the page."
    if isinstance(error, MemoryError):
        hint = "It needs more memory than there is: try smaller values."
    st.error(
        f"{what} hit an unexpected error. {hint} Saved runs and texts are kept. If you report it, please give this "
        f"id: **{fault_id}**",
        title="Something went wrong",
        icon=":material/error:",
    )
    return fault_id


@contextmanager
def page_guard() -> Iterator[None]:
    """Turn any error of a page into a message with an id; the navigation keeps working.

    The run then stops (as with `st.stop`), so that Streamlit keeps the values of controls that the page did not reach;
    it would forget them if the run seemed complete.
    """
    try:
        yield
    except FragmentHandledException:
        raise
    except Exception as error:
        show_fault(error)
        st.stop()


@contextmanager
def panel_guard() -> Iterator[None]:
    """Confine an error to a panel: put `@panel_guard()` above the function that draws it."""
    try:
        yield
    except FragmentHandledException:
        raise
    except Exception as error:
        show_fault(error, what="This panel")


def on_script_error(error: Exception) -> bool:
    """Handle errors outside a page, as the server's last resort: in callbacks, plain fragments, and app.py itself.

    Returns:
        True, so that Streamlit shows nothing of its own.
    """
    show_fault(error)
    return True
