"""Error handling: a message and an id on the page, the trace with the same id in the log. Never a traceback."""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import streamlit as st
from streamlit.errors import FragmentHandledException

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

_LOG = logging.getLogger("glassformer")


def log_fault(error: BaseException) -> str:
    """Write the trace to the log and return its id (8 hexadecimal digits)."""
    fault_id = secrets.token_hex(4)
    _LOG.error("Fault %s", fault_id, exc_info=error)
    return fault_id


def show_fault(error: BaseException, *, what: Literal["page", "exhibit", "panel", "question"] = "page") -> str:
    """Log the error, show a message at the caller's place on the page, and return the id."""
    fault_id = log_fault(error)
    hint = LABELS["hint"]
    if isinstance(error, MemoryError):
        hint = LABELS["hint.memory"]
    st.error(
        LABELS(what, hint=hint, id=fault_id),
        title=LABELS["title"],
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
        show_fault(error, what="panel")


def on_script_error(error: Exception) -> bool:
    """Handle errors outside a page, as the server's last resort: in callbacks, plain fragments, and app.py itself.

    Returns:
        True, so that Streamlit shows nothing of its own.
    """
    show_fault(error)
    return True
