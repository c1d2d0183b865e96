"""Where a control stands: in the address, in the session, and at its default; each follows the others."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import streamlit as st
from streamlit.errors import StreamlitAPIException

from core.exhibit import Control, label_of
from core.ui import state

T = TypeVar("T")

DEFAULTS = "defaults"  # of the controls of this page, by name in the address
IDS = "ids"  # what `write_id` has left in the address, by name


def written(control: Control, value: Any) -> tuple[str, ...]:
    """A value as the address holds it."""
    if control.kind in ("select", "segmented"):
        return (str(value) if control.options.get("has_ids") else label_of(control, value),)
    if control.kind == "several":
        return value or ("",)
    return (str(value).lower() if isinstance(value, bool) else str(value),)


def write_moved(key: str, control: Control, default: object) -> bool:
    """Write into the address where a control stands that is drawn for the first time; whether it could be written.

    Neither Streamlit nor the browser does: what it's set to has come along from the page before, or was set from
    elsewhere, by a chip say, when it wasn't there yet.
    """
    kept = st.session_state.get(key)
    if kept is None or key in st.query_params or stands_at(kept, default):
        return False
    if checked(kept, default, control.check)[1] is not None:
        return False
    with suppress(StreamlitAPIException):  # a widget of this name stands already, and Streamlit writes for it
        st.query_params[key] = [*written(control, kept)]
        st.session_state[key] = kept
    return key in st.query_params


def follow_address(key: str, default: object, check: Callable[[object], object]) -> None:
    """Take over what the address says, or no longer says, where it isn't as `write_id` has left it."""
    asked = st.query_params.get(key)
    if asked != state.slot(IDS, dict[str, str | None]).get(key):
        with suppress(ValueError, OverflowError):
            st.session_state[key] = default if asked is None else check(asked)


def write_id(key: str, value: object, default: object) -> None:
    """Let the address name a value by its id, and nothing where it's the default."""
    asked = st.query_params.get(key)
    if value == default and asked is not None:
        st.query_params.pop(key, None)
    elif value != default and asked != str(value):
        st.query_params[key] = str(value)
    state.slot(IDS, dict[str, str | None])[key] = st.query_params.get(key)


def follow_default(key: str, default: Any) -> None:
    """A control that nobody has moved stands at its default, also where that depends on what else is shown.

    The address does not name it, so whoever opens the address sees the default.
    """
    defaults: dict[str, object] = state.slot(DEFAULTS, dict)
    before, defaults[key] = defaults.get(key, default), default
    kept = st.session_state.get(key)
    if before == default or kept is None or not stands_at(kept, before):
        return
    # A field of floats takes no whole number, and pills take a list.
    st.session_state[key] = type(kept)(default) if isinstance(kept, int | float | list) else default


def stands_at(kept: Any, value: object) -> bool:
    """Whether the session keeps this value; pills are kept as a list."""
    return bool((tuple(kept) if isinstance(value, tuple) else kept) == value)


def keep_in_address(key: str, default: object, check: Callable[[object], object]) -> None:
    """Say again where a moved control stands that the address does not name: Streamlit then writes it there.

    Its browser side forgets to, once the control has come to another place of the page, below a canvas that has
    appeared say: the old one lets go of the name that both have after the new one has taken it.
    """
    kept = st.session_state.get(key)
    if kept is None or stands_at(kept, default) or key in st.query_params:
        return
    if checked(kept, default, check)[1] is None:
        st.session_state[key] = kept


def checked(value: object, default: T, check: Callable[[object], T]) -> tuple[T, str | None]:
    try:
        return check(value), None
    except (ValueError, OverflowError) as problem:
        return default, str(problem)
