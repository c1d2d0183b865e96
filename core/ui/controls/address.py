"""Keep a control's value in step across the address, the session and its default."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import streamlit as st
from streamlit.errors import StreamlitAPIException

from core.exhibit import Control, option_key
from core.ui import state

T = TypeVar("T")

DEFAULTS = "defaults"  # of the controls of this page, by name in the address
WRITTEN = "written"  # what `write_option` has left in the address, by name


def to_address_values(control: Control, value: Any) -> tuple[str, ...]:
    """Return a value as the address encodes it."""
    if control.kind in ("select", "segmented"):
        return (option_key(control, value),)
    if control.kind == "several":
        return tuple(option_key(control, one) for one in value) or ("",)
    return (str(value).lower() if isinstance(value, bool) else str(value),)


def write_new_control_to_address(key: str, control: Control, default: object) -> bool:
    """Write the value of a control that is drawn for the first time into the address; return whether that worked.

    Neither Streamlit nor the browser does this, because the value was carried over from the previous page or was set
    from elsewhere (by a chip, for example) before the control existed.
    """
    kept = st.session_state.get(key)
    if kept is None or key in st.query_params or matches_stored_value(kept, default):
        return False
    if check_or_default(kept, default, control.check)[1] is not None:
        return False
    with suppress(StreamlitAPIException):  # a widget of this name already exists, and Streamlit writes for it
        st.query_params[key] = [*to_address_values(control, kept)]
        st.session_state[key] = kept
    return key in st.query_params


def _read_parameter(key: str) -> str | list[str] | None:
    """Return the text of a parameter, or all texts if there are several; None if the address lacks it."""
    asked = st.query_params.get_all(key)
    return asked if len(asked) > 1 else asked[0] if asked else None


def follow_address(key: str, control: Control, default: object) -> None:
    """Take over the value in the address (or its absence) if it has changed since `write_option` wrote it."""
    asked = _read_parameter(key)
    if asked != state.session_slot(WRITTEN, dict[str, object]).get(key):
        with suppress(ValueError, OverflowError):
            value: Any = default if asked is None else control.check(asked)
            st.session_state[key] = [*value] if control.kind == "several" else value


def write_option(key: str, control: Control, value: object, default: object) -> None:
    """Write the key of a chosen option into the address, or remove the entry if it is the default.

    Streamlit would write the label.
    """
    wanted = [] if value == default else [*to_address_values(control, value)]
    if st.query_params.get_all(key) != wanted:
        if wanted:
            st.query_params[key] = wanted
        else:
            st.query_params.pop(key, None)
    state.session_slot(WRITTEN, dict[str, object])[key] = _read_parameter(key)


def follow_default(key: str, default: Any) -> None:
    """Move a control that nobody has moved to its current default, which may depend on what else is shown.

    The address does not name such a control, so anyone who opens the address sees the default.
    """
    defaults: dict[str, object] = state.session_slot(DEFAULTS, dict)
    before, defaults[key] = defaults.get(key, default), default
    kept = st.session_state.get(key)
    if before == default or kept is None or not matches_stored_value(kept, before):
        return
    # A field of floats rejects whole numbers, and pills need a list.
    st.session_state[key] = type(kept)(default) if isinstance(kept, int | float | list) else default


def matches_stored_value(kept: Any, value: object) -> bool:
    """Return whether the value stored in the session equals this one; pills are stored as a list."""
    return bool((tuple(kept) if isinstance(value, tuple) else kept) == value)


def keep_in_address(key: str, default: object, check: Callable[[object], object]) -> None:
    """Set a moved control's value again if the address does not name it, so that Streamlit writes it there.

    Streamlit's browser side drops it when the control moves to a different place on the page, for example below a
    canvas that has appeared: the old element releases the shared name after the new one has taken it.
    """
    kept = st.session_state.get(key)
    if kept is None or matches_stored_value(kept, default) or key in st.query_params:
        return
    if check_or_default(kept, default, check)[1] is None:
        st.session_state[key] = kept


def check_or_default(value: object, default: T, check: Callable[[object], T]) -> tuple[T, str | None]:
    try:
        return check(value), None
    except (ValueError, OverflowError) as problem:
        return default, str(problem)
