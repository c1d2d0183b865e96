"""Clicks in a picture that move a control, which remains the only owner of its value.

A browser widget keeps its last click as long as its key exists. The click is news only once: later the person may have
moved the control again, and the old click must not pull it back. So a script asks for news before it draws the
control, and draws the picture under the key that it gets:

    pick = picks.new_pick("heads.grid", text_key)
    if pick:
        controls.set_control("layer", pick["layer"])  # shows a message if a lesson or a link has locked it
    layer = …                             # the control, declared with `core.exhibit`
    widgets.head_grid(…, key=picks.picture_widget_key("heads.grid", text_key, {"layer": layer}))

Values without a control (an edited row, the settings inside a widget) are stored in the address only.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.ui import state
from core.ui.controls import page_restoration
from core.ui.controls.values_with_control_names import choice_address_name


def new_pick(name: str, content: str, part: str = "pick") -> Any | None:
    """Return the selection made in the picture since the last call, or None.

    Args:
        name: the picture's name, unique on the page.
        content: identifies what the picture shows, such as a digest; a selection belongs to what was shown.
        part: the kind of value that the widget commits: "pick", "edit" or "settings".
    """
    if not has_new_pick(name, content, part):
        return None
    chosen = _chosen(_key(name, content), part)
    state.set_session_slot(_seen(name, part), (_key(name, content), chosen))
    return chosen


def has_new_pick(name: str, content: str, part: str = "pick") -> bool:
    """Return whether `new_pick` has something. For a fragment whose click requires a rerun of the whole page."""
    chosen = _chosen(_key(name, content), part)
    return chosen is not None and (_key(name, content), chosen) != state.session_slot(_seen(name, part), tuple)


def was_cleared(name: str, content: str, part: str = "pick") -> bool:
    """Return whether the person has cleared the last selection; true only once."""
    seen: tuple[object, ...] = state.session_slot(_seen(name, part), tuple)
    if not seen or seen[0] != _key(name, content) or _chosen(_key(name, content), part) is not None:
        return False
    state.clear_session_slot(_seen(name, part))
    return True


def last_pick(name: str) -> Any | None:
    """Return the last selection in a picture that `new_pick` returned, with all its parts; None before the first."""
    told = (str(key).removeprefix(f"{state.PREFIX}picks.seen.") for key in list(st.session_state))
    parts = sorted(part for part, _, whose in (one.partition(".") for one in told) if whose == name)
    seen: list[tuple[object, ...]] = [state.session_slot(_seen(name, part), tuple) for part in parts]
    return tuple(one for one in seen if one) or None


def picture_widget_key(name: str, content: str, current: object = None, part: str = "pick") -> str:
    """Return the key to draw the picture with.

    Streamlit reports a selection only if it differs from the widget's last one. If the control has moved since the last
    click, the widget starts over under a new key, so that the same click counts again.

    Args:
        current: the control's current value, in the form of the widget's selection; None if there is no such control.
    """
    chosen = _chosen(_key(name, content), part)
    if current is not None and chosen is not None and chosen != current and not has_new_pick(name, content, part):
        state.set_session_slot(_turn(name), state.session_slot(_turn(name), int) + 1)
    return _key(name, content)


def has_content_changed(name: str, content: str) -> bool:
    """Return whether the content has changed since the last call; False if a link or Back determines what is shown."""
    before = state.session_slot(f"picks.shown.{name}", lambda: content)
    state.set_session_slot(f"picks.shown.{name}", content)
    return before != content and not page_restoration.has_address_changed()


def set_address_value(choice: object, value: str | None) -> None:
    """Store a value that has no control in the address; None removes it."""
    name = choice_address_name(choice)
    page_restoration.record_address_parameter(name, value)
    if value is None:
        if name in st.query_params:
            del st.query_params[name]
    elif st.query_params.get(name) != value:
        st.query_params[name] = value


def address_value(name: str) -> str | None:
    """Return the value that `set_address_value` stored or a link contains; check it, because it may be anything."""
    return st.query_params.get(name)


def _key(name: str, content: str) -> str:
    return f"{name}:{content}.{state.session_slot(_turn(name), int)}"


def _turn(name: str) -> str:
    return f"picks.turn.{name}"


def _seen(name: str, part: str) -> str:
    return f"picks.seen.{part}.{name}"


def _chosen(widget_key: str, part: str) -> object:
    held = st.session_state.get(widget_key)
    return held.get(part) if isinstance(held, Mapping) else None
