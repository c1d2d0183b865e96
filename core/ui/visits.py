"""Each room comes back as it was left, within one session of a visitor.

The address of a page holds all that is shown, but the way to another page empties it, and Streamlit then hands the
value of a control on to any control of the same name there. So one rule for the whole app, applied when a page opens:

- an address that says something is shown as it says, and nothing else is used;
- an empty address of a page seen before brings it back as it was left;
- a page seen for the first time begins as it ships; only the model and the text that one looks at come along.

The address follows in each case.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.ui import asked, state
from core.ui.controls import DEFAULTS

# Written by the browser alone, see assets/widgets/view.js.
VIEW = "view"
_COME_ALONG = ("model", "text")
_OWN_WAYS = ("lessons",)  # an empty address there asks for the list of lessons
_SLOT = "visits"


@dataclass
class Left:
    """A page as it was left.

    Attributes:
        controls: by name in the address, what each stood at.
        written: what the address held beside them: drawings, edits, picks in pictures.
    """

    controls: dict[str, Any] = field(default_factory=dict)
    written: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class _Visits:
    page: str | None = None
    left: dict[str, Left] = field(default_factory=dict)


@contextmanager
def visit(page: str) -> Iterator[None]:
    """Draw a page inside, as it was left or as its address says.

    Args:
        page: its name in the address; "" for the first page.
    """
    visits: _Visits = state.slot(_SLOT, _Visits)
    if page != visits.page:
        _leave(visits)
        _arrive(visits, page)
    asked.begin()
    yield
    _left(visits).written = {
        name: st.query_params.get_all(name) for name in st.query_params if name not in asked.here() and name != VIEW
    }


def wrote(name: str, value: str | None) -> None:
    """Note what was put into the address beside the controls; None: taken out."""
    written = _left(state.slot(_SLOT, _Visits)).written
    written.pop(name, None)
    if value is not None:
        written[name] = [value]


def _left(visits: _Visits) -> Left:
    return visits.left.setdefault(visits.page or "", Left())


def _leave(visits: _Visits) -> None:
    """Take from Streamlit what the page stood at, before a control of the same name can take it over."""
    controls = {name: st.session_state[name] for name in asked.here() if name in st.session_state}
    along = {name for name, one in asked.here().items() if one.is_moved and name.split(".")[0] in _COME_ALONG}
    if visits.page is not None:
        _left(visits).controls = controls
    for name in set(controls) - along:
        del st.session_state[name]
    state.forget(DEFAULTS)
    state.forget_under("picks.")


def _arrive(visits: _Visits, page: str) -> None:
    visits.page = page
    if page in _OWN_WAYS or page not in visits.left:
        return
    is_link = any(name != VIEW for name in st.query_params)
    left = visits.left.pop(page)
    if is_link:
        for name in left.controls:
            st.session_state.pop(name, None)
        return
    visits.left[page] = left
    for name, value in left.controls.items():
        st.session_state[name] = value
    if left.written:
        st.query_params.update(left.written)
