"""Each room comes back as it was left, within one session of a visitor.

The address of a page holds all that is shown, but the way to another page empties it, and Streamlit then hands the
value of a control on to any control of the same name there. So one rule for the whole app, applied when a page opens:

- an address that says something is shown as it says, and nothing else is used;
- an empty address of a page seen before brings it back as it was left;
- a page seen for the first time begins as it ships.

The model and the text set last come along to every page, except to one where the visitor has set another.

The address follows in each case. A text that was typed in the browser alone is told as the page is left, with the
click: while one types nobody asks the server.
"""

from collections.abc import Iterator, Mapping, Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field

import streamlit as st

from core.browser.message import pack
from core.ui import state
from core.ui.controls import choices, control_log
from core.ui.controls.address import DEFAULTS, IDS
from core.ui.controls.controls import CARRIED, LABELS, PUT
from core.ui.frame.element_keys import frame_key
from core.ui.widgets.mount import mount

# Written by the browser alone, see assets/widgets/page/view.js.
VIEW = "view"
_COME_ALONG = ("model", "text")
_OWN_WAYS = ("lessons",)  # an empty address there asks for the list of lessons
_SLOT, _HEARD = "visits", "visits.heard"
_TELL = frame_key("tell", "texts-typed-here")


@dataclass
class Left:
    """A page as it was left."""

    # those that were moved, by name in the address: what each stood at
    controls: dict[str, object] = field(default_factory=dict)
    written: dict[str, list[str]] = field(default_factory=dict)  # all that the address held
    carried: frozenset[str] = frozenset()  # those that had come along, and that nobody has moved on this page

    def without(self, names: AbstractSet[str]) -> "Left | None":
        """The same but for these controls; None if nothing is left of it."""
        controls = {name: value for name, value in self.controls.items() if name not in names}
        written = {name: value for name, value in self.written.items() if name not in names}
        return Left(controls, written, self.carried - names) if written else None


@dataclass
class _Visits:
    page: str | None = None
    left: dict[str, Left] = field(default_factory=dict)
    beside: dict[str, list[str]] = field(default_factory=dict)  # what this page's address holds beside its controls
    returning: Left | None = None
    has_company: bool = False  # a text or a model has come along from the page before
    came: dict[str, object] = field(default_factory=dict)  # what has come along to this page
    speaks: bool = False  # in this run the address says what nobody here wrote into it


@contextmanager
def visit(page: str) -> Iterator[None]:
    """Draw a page inside, as it was left or as its address says.

    Args:
        page: its name in the address; "" for the first page.
    """
    visits: _Visits = state.slot(_SLOT, _Visits)
    if page != visits.page:
        _hear()
        _leave(visits)
        _arrive(visits, page)
    if visits.has_company:
        visits.came = {str(name): st.session_state[name] for name in st.session_state if _comes_along(str(name))}
        state.put(CARRIED, {*visits.came})
        visits.has_company = False
    if visits.returning is not None:
        _bring_back(visits.returning)
        visits.came |= {name: visits.returning.controls[name] for name in visits.returning.carried}
        visits.returning = None
    visits.speaks = _beside() != visits.beside
    control_log.begin()
    yield
    state.forget(CARRIED)
    visits.beside, visits.speaks = _beside(), False


@st.fragment
def listen() -> None:
    """Put the script there that tells what the browser alone knows; in a fragment, so that telling draws nothing."""
    mount("leaving", _TELL, pack({}, {}), height=0, texts=None)


def _hear() -> None:
    """Take over what the browser has told with the click that leaves the page."""
    told = st.session_state.get(_TELL)
    texts = told.get("texts") if isinstance(told, Mapping) else None
    if isinstance(texts, str) and texts != state.slot(_HEARD, str):
        state.put(_HEARD, texts)
        choices.take(texts)


def address_speaks() -> bool:
    """Whether this run is shown as another address says, after Back say: nothing that it names is to be forgotten."""
    return state.slot(_SLOT, _Visits).speaks


def _beside() -> dict[str, list[str]]:
    """What the address holds beside the controls that have been drawn, and beside what the browser alone writes."""
    names = [name for name in st.query_params if name not in control_log.here() and name != VIEW]
    return {name: st.query_params.get_all(name) for name in names}


def wrote(name: str, value: str | None) -> None:
    """Note what was put into the address beside the controls; None: taken out."""
    beside = state.slot(_SLOT, _Visits).beside
    beside.pop(name, None)
    if value is not None:
        beside[name] = [value]


def _leave(visits: _Visits) -> None:
    """Note how the page stands, before a control of the same name on the next page can take its value."""
    here = {name: one for name, one in control_log.here().items() if name in st.session_state}
    moved = {name: one for name, one in here.items() if one.is_moved}
    if visits.page is not None:
        controls = {name: st.session_state[name] for name in moved}
        written = {name: list(one.written) for name, one in moved.items()}
        carried = frozenset(name for name in controls if name in visits.came and visits.came[name] == controls[name])
        visits.left[visits.page] = Left(controls, written | visits.beside, carried)
    for name in here:
        if name not in moved or not _comes_along(name):
            del st.session_state[name]
    visits.beside = {}
    state.forget(DEFAULTS)
    state.forget(LABELS)
    state.forget(IDS)
    state.forget_under(choices.SLOT)
    state.forget(PUT)
    state.forget_under("picks.")


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
        # Streamlit still holds the addresses of the other page's controls; it lets go of them after a run without them.
        control_log.begin()
        st.rerun()


def _comes_along(name: str) -> bool:
    return name.split(".")[0] in _COME_ALONG


def _bring_back(left: Left) -> None:
    for name, value in left.controls.items():
        st.session_state[name] = value
    st.query_params.update(left.written)
