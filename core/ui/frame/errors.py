"""Faults: plain words and an id on the page, the trace with the same id in the log. Never a traceback."""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.errors import FragmentHandledException

_LOG = logging.getLogger("glassformer")


def report(error: BaseException) -> str:
    """Write the trace to the log and return the id that stands beside it (8 hexadecimal digits)."""
    fault_id = secrets.token_hex(4)
    _LOG.error("Fault %s", fault_id, exc_info=error)
    return fault_id


def show_fault(error: BaseException, *, what: str = "This page") -> str:
    """Log the fault, say so in plain words where the caller stands on the page, and return its id."""
    fault_id = report(error)
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
    """Turn any fault of a page into an error message with an id; the navigation goes on to work.

    The run then stops (as with `st.stop`), so that Streamlit keeps the values of controls that the page did not
    reach; they would be forgotten if the run seemed complete.
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
    """A fault of a panel stays inside it. `@panel_guard()` above the function that draws it."""
    try:
        yield
    except FragmentHandledException:
        raise
    except Exception as error:
        show_fault(error, what="This panel")


def on_script_error(error: Exception) -> bool:
    """The server's last resort, for faults outside a page: callbacks, plain fragments, app.py itself.

    Returns:
        True, which tells Streamlit to show nothing of its own.
    """
    show_fault(error)
    return True
