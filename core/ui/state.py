"""Live objects of one session. Only this module stores them: ids and small records, never tensors."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

T = TypeVar("T")
PREFIX = "_state."


def session_slot(name: str, make: Callable[[], T]) -> T:
    """Return the session's object of this name, made on first use.

    Example:
        `picked = slot("heads.knocked_out", set)`
    """
    key = PREFIX + name
    try:  # a membership test would look it up twice, some hundred times per rerun
        value: T = st.session_state[key]
    except KeyError:
        value = st.session_state[key] = make()
    return value


def set_session_slot(name: str, value: object) -> None:
    """Replace the session's object of this name."""
    st.session_state[PREFIX + name] = value


def clear_session_slot(name: str) -> None:
    """Drop the session's object of this name, if there is one."""
    st.session_state.pop(PREFIX + name, None)


def clear_session_slots(prefix: str) -> None:
    """Drop all objects whose names begin with this prefix."""
    for key in [str(key) for key in st.session_state if str(key).startswith(PREFIX + prefix)]:
        del st.session_state[key]
