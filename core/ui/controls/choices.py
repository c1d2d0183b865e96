"""Controls that only choose what to look at: the browser answers them; the server reads the address on its next run.

`assets/widgets/page/choices.js` is the browser half. It writes each choice into the address under its name. A value
that the server sets (after a chip, or for a new text) is sent to the browser with the control, marked as a reset.
Streamlit informs the server about the address only if Streamlit wrote it; so where the server needs a choice, in an
open panel or in a lesson, the browser reports it (`tell`, `hear`).
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st

from core.browser.linked import Along, Chosen, over
from core.browser.message import pack
from core.exhibit import Control, content_key, label_of, options_of
from core.ui import state
from core.ui.controls import address, controls
from core.ui.controls.control_log import ControlState, note
from core.ui.controls.controls import PUT
from core.ui.controls.references import name_of
from core.ui.frame.element_keys import frame_key
from core.ui.text import clean_text, escape_markdown
from core.ui.widgets.mount import mount

SLOT = "choices"
MOST_NUMBERS = 150_000  # of one tensor; a picture may need some of them, at four bytes a number
_MOST_TOLD = 4_000  # characters: the longest text, each of its letters escaped, fits
_ASKED, _ENGINE = f"{SLOT}.asked", f"{SLOT}.engine"
_CAME = "came"


@dataclass(frozen=True)
class Choice:
    """The current state of a choice."""

    control: Control  # with its limits resolved
    key: str  # its name in the address
    value: object  # value, default: checked
    default: Any
    asked: str | None  # the address's text for it when it was last read
    begins: int = 0  # how many times the server has set it
    content: str = ""  # the content it belongs to; when that changes, the choice is reset
    fixed: str | None = None  # why it cannot be moved; None if it can
    is_large: bool = False  # the values to choose from are too many to send them all
    came: int = 0  # how many values have been carried over from other pages; 0 if none

    @property
    def values(self) -> list[object]:
        """All its possible values in order; for a text or a multiple selection, only the current value."""
        if self.control.kind == "text_input":
            return [self.value]
        if self.control.kind == "several":
            return [self.value]
        if self.control.kind != "slider":
            return options_of(self.control)
        low, high, step = (self.control.options[name] for name in ("low", "high", "step"))
        return [type(self.default)(round(low + i * step, 6)) for i in range(round((high - low) / step) + 1)]

    @property
    def now(self) -> object:
        """The current value as the browser encodes it."""
        return _plain(self.control, self.value)

    @cached_property
    def range(self) -> str:
        """A short digest of all its possible values; "" if any value is possible."""
        if self.control.kind in ("text_input", "several"):
            return ""
        ends = [self.control.options[name] for name in ("low", "high", "step")] if self.control.kind == "slider" else []
        return content_key(*map(str, ends or self.values))[:6]

    @property
    def index(self) -> int:
        return self.values.index(self.value) if self.value in self.values else 0


def ask(control: Control, given: object, place: str = "") -> Any:
    """Draw the control and return its current value.

    Args:
        control: a slider, a list, a few options or a line of text, with its limits resolved.
        given: the values of the controls above.
        place: the exhibit's name; several exhibits may share a choice whose control is drawn in one of them or in none.
    """
    one, problem = _stands(control, given)
    if problem:
        st.warning(f"{escape_markdown(control.label)}: {escape_markdown(problem)} The default is used.")
    if _is_single(control):  # a model with one layer needs no special case
        st.caption(f"{escape_markdown(control.label)}: {one.value} (the only value)")
    is_drawn = control.look and control.look.is_drawn
    key = frame_key("choice", one.key if is_drawn else f"hidden-{one.key}-{place}")
    mount("choice", key, pack({"choice": _told(one)}, {}), height=44, own_style=False)
    return one.value


def find(choice: object) -> Choice | None:
    """Return the page's choice of this name with its current value from the address, or None if there is none."""
    held: dict[str, Choice] = state.slot(SLOT, dict)
    name = name_of(choice)
    key = controls.in_force().prefix + name
    one = held.get(key) or held.get(name)
    return None if one is None else _read(one)


def values_of(choice: object) -> list[object]:
    """Return all values of a choice of the page in order; an empty list if there is no such choice."""
    one = find(choice)
    return [] if one is None else one.values


def chosen(choice: object, *, unless: object = None, instead: object = None) -> Any:
    """Return a reference to a choice, in which the browser fills in the current value. See `core.browser.linked`."""
    one = find(choice)
    return Chosen(name_of(choice), unless, instead) if one is None else Chosen(one.key, unless, instead, one.range)


def along(values: object, *choices: object) -> Along:
    """Index values by choices of the page; if that is too much to send, keep only the values that are chosen."""
    ranges: dict[str, str] = {}
    for name in map(name_of, choices):
        one = find(name)
        if one is not None and one.is_large:
            values = _part(values, len(ranges), one.index)
            state.slot(_ASKED, set[str]).add(one.key)
        else:
            ranges |= {name: ""} if one is None else {one.key: one.range}
    return Along(values, tuple(ranges), ranges)


def _part(values: Any, axis: int, index: int) -> object:
    """Take one index of nested values along an axis."""
    if isinstance(values, np.ndarray):
        return values.take(index, axis)
    return values[index] if axis == 0 else [_part(one, axis - 1, index) for one in values]


def each(make: Callable[..., object], *choices: object) -> Any:
    """Call `make(*values)` for each combination of these choices, or only for the chosen one if all are too many.

    Raises:
        LookupError: if the page has no such choice.
    """
    return over(make, *(along(_found(choice).values, choice) for choice in choices))


def _found(choice: object) -> Choice:
    one = find(choice)
    if one is None:
        raise LookupError(f"the page has no choice {name_of(choice)!r}")
    return one


def need(names: Iterable[object], unless: str | None = None) -> None:
    """Declare that the current fragment needs choices on the server, unless the browser has these model weights."""
    state.slot(_ENGINE if unless else _ASKED, set[str]).update([unless] if unless else map(name_of, names))


def were_asked() -> bool:
    """Return whether the fragment that is being drawn needs choices on the server."""
    return bool(state.slot(_ASKED, set[str]))


def engine() -> str | None:
    """Return the model weights with which the browser computes this fragment, or None if it computes nothing."""
    return next(iter(state.slot(_ENGINE, set[str])), None)


def stands(choice: object) -> object:
    """Return the current value of a choice as the browser encodes it."""
    return _found(choice).now


def tell(names: Sequence[str], key: str, unless: str | None = None) -> None:
    """Have the browser report every move of these choices to the current fragment, which needs them on the server.

    Args:
        key: the fragment's name on the page.
        unless: a model's weights; moves are reported only if the browser cannot have them.
    """
    found = [one for one in map(find, dict.fromkeys(names)) if one is not None]
    if found:
        told = {
            "values": {one.key: one.now for one in found},
            "begins": {one.key: one.begins for one in found},
            "unless": unless,
        }
        mount("tell", frame_key("tell", key), pack(told, {}), height=0, chosen=None)


def messages(names: Collection[str], moved: Collection[str], fixed: str | None = None) -> list[bytes]:
    """Return the browser messages of these choices with their current values, for a standalone page.

    Args:
        moved: those that a picture on that page moves; the others get a control.
        fixed: why they cannot be moved, if they cannot.
    """
    held = state.slot(SLOT, dict[str, Choice])
    found = [_read(one) for name, one in [*held.items()] if name in names]  # in page order
    return [
        pack({"choice": _told(one, is_moved=one.key in moved) | ({"fixed": fixed} if fixed else {})}, {})
        for one in found
    ]


def names() -> list[str]:
    """Return the names of all choices of the page, as used in the address."""
    return [*state.slot(SLOT, dict[str, Choice])]


def hear(key: str) -> None:
    """Take over the choices that the browser has reported since this fragment's last run. Call it at the start."""
    state.forget(_ASKED)
    state.forget(_ENGINE)
    said = st.session_state.get(frame_key("tell", key))
    text = said.get("chosen") if isinstance(said, Mapping) else None
    if not isinstance(text, str) or len(text) > _MOST_TOLD or text == state.slot(f"{SLOT}.heard.{key}", str):
        return
    state.put(f"{SLOT}.heard.{key}", text)
    for one, value in _told_values(text):
        if one.key in state.slot(PUT, set[str]):
            continue  # set by a chip after the browser's report
        if value == one.default:
            st.query_params.pop(one.key, None)
        else:
            st.query_params[one.key] = address.written(one.control, value)
        _keep(replace(one, value=value, asked=_address(one.key)))


def take(text: str) -> None:
    """Take over texts that the browser reported on leaving the page, when the address was already the next page's."""
    for one, value in _told_values(text):
        if one.control.kind == "text_input":
            _keep(replace(one, value=value))


def _told_values(text: str) -> list[tuple[Choice, object]]:
    """Return the movable choices that a browser message names, with their checked values."""
    if len(text) > _MOST_TOLD:
        return []
    try:
        values = dict(json.loads(text)["values"])
    except (ValueError, TypeError, KeyError):
        return []  # forged
    held: dict[str, Choice] = state.slot(SLOT, dict)
    free = [held[name] for name in values if name in held and held[name].fixed is None]
    checked = [(one, *_checked(one.control, values[one.key], one.default)) for one in free]
    return [(one, value) for one, value, problem in checked if not problem]


def _stands(control: Control, values: object) -> tuple[Choice, str]:
    """Return a choice's current state, and why the requested value is not used; "" if it is used."""
    name, given, look = str(control.name), controls.in_force(), control.look
    assert look is not None, "only a choice is asked here"
    content, n = look.within(values) if look.within else "", look.numbers(values) if look.numbers else 0
    key, default, fixed = given.prefix + name, controls.default_of(name, control), controls.why_fixed(name)
    held: dict[str, Choice] = state.slot(SLOT, dict)
    before, asked, kept = held.get(key), _address(key), st.session_state.get(key)
    value, problem, begins, came = default, "", *((0, 0) if before is None else (before.begins, before.came))
    if name in given.locked:
        pass  # an author's lock holds against any link
    elif before is None:
        if key in state.slot(controls.CARRIED, set[str]):
            came = state.slot(_CAME, int) + 1
            state.put(_CAME, came)
        address.write_moved(key, control, default)
        value, problem = _checked(control, kept if asked is None and kept is not None else asked, default)
    elif kept is not None and (kept != before.value or key in state.slot(PUT, set[str])):  # by a chip, for example
        value, begins = _checked(control, kept, default)[0], begins + 1
    elif asked != before.asked:
        value, problem = _checked(control, asked, default)
    elif content != before.content:
        begins += 1
    elif before.value != before.default:
        value = _checked(control, before.value, default)[0]
    state.slot(PUT, set[str]).discard(key)
    return _keep(Choice(control, key, value, default, asked, begins, content, fixed, n > MOST_NUMBERS, came)), problem


def _address(key: str) -> str | None:
    """Return the address's text for a control, several values on separate lines; None if the address lacks it."""
    said = st.query_params.get_all(key)
    return "\n".join(said) if said else None


def _is_single(control: Control) -> bool:
    return control.kind == "slider" and control.options["low"] >= control.options["high"]


def _checked(control: Control, value: object, default: object) -> tuple[object, str]:
    if value is None:
        return default, ""
    if control.kind == "text_input":  # an emptied field means the default
        text = clean_text(str(value), control.options["max_chars"], control.options["keep_end"]).text
        return text.replace("\n", " ") if text.strip() else default, ""
    try:
        return control.check(value.split("\n") if control.kind == "several" and isinstance(value, str) else value), ""
    except (ValueError, OverflowError) as problem:
        if control.kind == "slider" and isinstance(value, int | float) and not isinstance(value, bool):
            return min(max(value, control.options["low"]), control.options["high"]), ""  # from a longer scale
        return default, str(problem)


def _read(one: Choice) -> Choice:
    """Return the choice with its value from the address: the browser may have moved it since it was drawn.

    A value that a chip has just set is newer than the address; the control takes it when it is next drawn.
    """
    asked = _address(one.key)
    if one.key in state.slot(PUT, set[str]):
        return one
    if asked == one.asked or one.key not in st.session_state:
        return one
    return _keep(replace(one, value=_checked(one.control, asked, one.default)[0], asked=asked))


def _keep(one: Choice) -> Choice:
    state.slot(SLOT, dict[str, Choice])[one.key] = one
    st.session_state[one.key] = one.value
    state_now = ControlState(
        one.control.label,
        one.value,
        address.written(one.control, one.value),
        one.fixed is not None,
        one.value != one.default,
    )
    note(one.key, state_now)
    return one


def _plain(control: Control, value: object) -> object:
    """Return a value for a message; for a tuple (such as layer and head), which a browser can't compare, its label."""
    if control.kind == "several":
        return [*value] if isinstance(value, tuple) else value
    return label_of(control, value) if isinstance(value, tuple) else value


def _told(one: Choice, *, is_moved: bool = True) -> dict[str, object]:
    """Return what the browser needs to draw a choice, check an address and reset the choice.

    Args:
        is_moved: whether a picture moves it, if it has no control of its own.
    """
    control, look = one.control, one.control.look
    assert look is not None, "a choice has one"
    told = {
        "name": one.key,
        "label": control.label,
        "help": control.help,
        "range": one.range,
        "value": one.now,
        "default": _plain(control, one.default),
        "begins": f"{one.begins} {one.content}",
        "came": one.came,
        "of": controls.in_force().prefix + look.of if look.of else None,
        "fixed": one.fixed,
        "hidden": (is_moved and not look.is_drawn) or controls.is_hidden(str(control.name)) or _is_single(control),
    }
    if control.kind == "text_input":
        return told | {"most": control.options["max_chars"]}
    if control.kind != "slider":
        options = [[_plain(control, value), label_of(control, value)] for value in options_of(control)]
        kind = {"is_list": control.kind == "select", "is_several": control.kind == "several"}
        return told | {"options": options} | kind
    scale = {name: control.options[name] for name in ("low", "high", "step")}
    return told | scale | {"digits": controls.decimals(scale["step"])}
