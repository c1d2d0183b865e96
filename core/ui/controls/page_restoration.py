"""Restore each room as it was left, within one session of a visitor.

The address of a page holds everything that is shown, but going to another page empties it, and Streamlit then passes a
control's value on to any control of the same name there. So the app applies these rules whenever a page opens:

- an address with parameters is shown exactly as it says;
- an empty address of a page that was visited before restores the page as it was left;
- a page that is visited for the first time starts with its defaults.

The model and text that were set last are carried over to every page, except where the visitor has set others.

The address is updated in each case. A text that only the browser knows is reported with the click that leaves the
page, because typing doesn't involve the server.
"""

from collections.abc import Iterator, Mapping, Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field

import streamlit as st

from core.browser.message_packing import pack_message
from core.ui import state
from core.ui.controls import browser_side_controls, drawn_controls
from core.ui.controls.address import DEFAULTS, WRITTEN
from core.ui.controls.controls import CARRIED_KEYS, OPTION_LABELS, SET_KEYS
from core.ui.frame.element_keys import page_element_key
from core.ui.widgets.mount import mount

# Written only by the browser, see assets/widgets/page/view.js.
VIEW = "view"
_COME_ALONG = ("model", "text")
_OWN_WAYS = ("lessons",)  # an empty address there means the list of lessons
_SLOT, _HEARD = "visits", "visits.heard"
_LISTENER_KEY = page_element_key("tell", "texts-typed-here")


@dataclass
class _PageState:
    """A page as it was left."""

    # the values of the controls that were moved, by name in the address
    controls: dict[str, object] = field(default_factory=dict)
    written: dict[str, list[str]] = field(default_factory=dict)  # the whole address
    carried: frozenset[str] = frozenset()  # those that were carried over and not moved on this page

    def without(self, names: AbstractSet[str]) -> "_PageState | None":
        """Return the page's state without these controls; None if nothing is left."""
        controls = {name: value for name, value in self.controls.items() if name not in names}
        written = {name: value for name, value in self.written.items() if name not in names}
        return _PageState(controls, written, self.carried - names) if written else None


@dataclass
class _Visits:
    page: str | None = None
    left: dict[str, _PageState] = field(default_factory=dict)
    beside: dict[str, list[str]] = field(default_factory=dict)  # the address's parameters that are not controls
    returning: _PageState | None = None
    has_company: bool = False  # a text or a model was carried over from the previous page
    came: dict[str, object] = field(default_factory=dict)  # the values carried over to this page
    speaks: bool = False  # in this run the address contains something that this page did not write


@contextmanager
def restore_page_controls(page: str) -> Iterator[None]:
    """Draw a page inside, as it was left or as its address says.

    Args:
        page: its name in the address; "" for the first page.
    """
    visits: _Visits = state.session_slot(_SLOT, _Visits)
    if page != visits.page:
        _sync_typed_texts()
        _leave(visits)
        _arrive(visits, page)
    if visits.has_company:
        visits.came = {str(name): st.session_state[name] for name in st.session_state if _comes_along(str(name))}
        state.set_session_slot(CARRIED_KEYS, {*visits.came})
        visits.has_company = False
    if visits.returning is not None:
        _bring_back(visits.returning)
        visits.came |= {name: visits.returning.controls[name] for name in visits.returning.carried}
        visits.returning = None
    visits.speaks = _beside() != visits.beside
    drawn_controls.clear_drawn_controls()
    yield
    state.clear_session_slot(CARRIED_KEYS)
    visits.beside, visits.speaks = _beside(), False


@st.fragment
def mount_text_listener() -> None:
    """Mount the script that reports what only the browser knows; in a fragment, so that a report redraws nothing."""
    mount("leaving", _LISTENER_KEY, pack_message({}, {}), height=0, texts=None)


def _sync_typed_texts() -> None:
    """Take over the texts that the browser reported with the click that left the page."""
    told = st.session_state.get(_LISTENER_KEY)
    texts = told.get("texts") if isinstance(told, Mapping) else None
    if isinstance(texts, str) and texts != state.session_slot(_HEARD, str):
        state.set_session_slot(_HEARD, texts)
        browser_side_controls.sync_typed_texts(texts)


def has_address_changed() -> bool:
    """Return whether the address was changed from outside (by Back, for example), so that its values must be kept."""
    return state.session_slot(_SLOT, _Visits).speaks


def _beside() -> dict[str, list[str]]:
    """Return the address's parameters, except drawn controls and what only the browser writes."""
    names = [name for name in st.query_params if name not in drawn_controls.page_controls_by_name() and name != VIEW]
    return {name: st.query_params.get_all(name) for name in names}


def record_address_parameter(name: str, value: str | None) -> None:
    """Record a non-control parameter that was written into the address; None: it was removed."""
    beside = state.session_slot(_SLOT, _Visits).beside
    beside.pop(name, None)
    if value is not None:
        beside[name] = [value]


def _leave(visits: _Visits) -> None:
    """Save the page's state before a control of the same name on the next page can take over a value."""
    here = {name: one for name, one in drawn_controls.page_controls_by_name().items() if name in st.session_state}
    moved = {name: one for name, one in here.items() if one.is_moved}
    if visits.page is not None:
        controls = {name: st.session_state[name] for name in moved}
        written = {name: list(one.address_values) for name, one in moved.items()}
        carried = frozenset(name for name in controls if name in visits.came and visits.came[name] == controls[name])
        visits.left[visits.page] = _PageState(controls, written | visits.beside, carried)
    for name in here:
        if name not in moved or not _comes_along(name):
            del st.session_state[name]
    visits.beside = {}
    state.clear_session_slot(DEFAULTS)
    state.clear_session_slot(OPTION_LABELS)
    state.clear_session_slot(WRITTEN)
    state.clear_session_slots(browser_side_controls.SLOT)
    state.clear_session_slot(SET_KEYS)
    state.clear_session_slots("picks.")


def _arrive(visits: _Visits, page: str) -> None:
    visits.page, visits.came = page, {}
    st.query_params.update({})  # or a rerun would bring back the parameters of the page before
    left = visits.left.get(page)
    is_link = any(name != VIEW for name in st.query_params)
    if page in _OWN_WAYS:
        return
    carried = {str(name) for name in st.session_state if _comes_along(str(name))}
    if left is not None:
        own = left.controls.keys() - left.carried
        for name in carried if is_link else carried & own:
            del st.session_state[name]
        carried = set() if is_link else carried - own
        visits.returning = None if is_link else left.without(carried)
    visits.has_company = bool(carried)
    if visits.has_company or visits.returning is not None:
        # Streamlit still holds the addresses of the other page's controls; it releases them after a run without them.
        drawn_controls.clear_drawn_controls()
        st.rerun()


def _comes_along(name: str) -> bool:
    return name.split(".")[0] in _COME_ALONG


def _bring_back(left: _PageState) -> None:
    for name, value in left.controls.items():
        st.session_state[name] = value
    st.query_params.update(left.written)
