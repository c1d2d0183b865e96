"""Controls that only choose what to look at: the browser answers them; the server reads the address on its next run.

`assets/widgets/page/choices.js` is the browser half. It writes each choice into the address under its name. A value
that the server sets (after a chip, or for a new text) is sent to the browser with the control, marked as a reset.
Streamlit informs the server about the address only if Streamlit wrote it; so where the server needs a choice, in an
open panel or in a lesson, the browser reports it (`subscribe_to_choices`, `apply_browser_choices`).
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st

from core.browser.choice_indexed_values import ByChoice, ChoiceRef, map_choices
from core.browser.message_packing import pack_message
from core.data.localization.labels import module_labels
from core.exhibit import Control, content_key, label_of, option_key, option_values
from core.ui import state
from core.ui.controls import address, controls
from core.ui.controls.controls import SET_KEYS
from core.ui.controls.drawn_controls import ControlState, record_drawn_control
from core.ui.controls.locks import TAGS, LockReason
from core.ui.controls.values_with_control_names import choice_address_name
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import clean_text, escape_markdown
from core.ui.widgets.mount import mount

LABELS = module_labels(__name__)

SLOT = "choices"
_MAX_NUMBERS = 150_000  # of one tensor; a picture may need some of them, at four bytes a number
_MAX_REPORT_CHARS = 4_000  # characters: the longest text, each of its letters escaped, fits
_REQUIRED, _ENGINE = f"{SLOT}.asked", f"{SLOT}.engine"
_ARRIVALS = "came"


@dataclass(frozen=True)
class _ChoiceState:
    """The current state of a choice."""

    control: Control  # with its limits resolved
    key: str  # its name in the address
    value: object  # value, default: checked
    default: Any
    address_text: str | None  # the address's text for it when it was last read
    n_reset: int = 0  # how many times the server has set it
    scope: str = ""  # the content it belongs to; when that changes, the choice is reset
    lock_reason: LockReason | None = None  # what keeps it from being moved
    is_large: bool = False  # the values to choose from are too many to send them all
    n_arrival: int = 0  # how many values have been carried over from other pages; 0 if none

    @property
    def values(self) -> list[object]:
        """All its possible values in order; for a text or a multiple selection, only the current value."""
        if self.control.kind == "text_input":
            return [self.value]
        if self.control.kind == "several":
            return [self.value]
        if self.control.kind != "slider":
            return option_values(self.control)
        low, high, step = (self.control.options[name] for name in ("low", "high", "step"))
        return [type(self.default)(round(low + i * step, 6)) for i in range(round((high - low) / step) + 1)]

    @property
    def browser_value(self) -> object:
        """The current value as the browser encodes it."""
        return _plain(self.control, self.value)

    @cached_property
    def range_key(self) -> str:
        """A short digest of all its possible values; "" if any value is possible."""
        if self.control.kind in ("text_input", "several"):
            return ""
        ends = [self.control.options[name] for name in ("low", "high", "step")] if self.control.kind == "slider" else []
        return content_key(*map(str, ends or self.values))[:6]

    @property
    def index(self) -> int:
        return self.values.index(self.value) if self.value in self.values else 0


def render_choice(control: Control, given: object, place: str = "") -> Any:
    """Draw the control and return its current value.

    Args:
        control: a slider, a list, a few options or a line of text, with its limits resolved.
        given: the values of the controls above.
        place: the exhibit's name; several exhibits may share a choice whose control is drawn in one of them or in none.
    """
    one, problem = _resolve(control, given)
    if problem:
        st.warning(LABELS("default_used", label=escape_markdown(control.label), problem=escape_markdown(problem)))
    if _is_single(control):  # a model with one layer needs no special case
        st.caption(LABELS("only_value", label=escape_markdown(control.label), value=one.value))
    is_drawn = control.view and control.view.is_drawn
    key = page_element_key("choice", one.key if is_drawn else f"hidden-{one.key}-{place}")
    mount("choice", key, pack_message({"choice": _to_message(one)}, {}), height=44, own_style=False)
    return one.value


def find_choice_state(choice: object) -> _ChoiceState | None:
    """Return the page's choice of this name with its current value from the address, or None if there is none."""
    held: dict[str, _ChoiceState] = state.session_slot(SLOT, dict)
    name = choice_address_name(choice)
    key = controls.active_control_overrides().prefix + name
    one = held.get(key) or held.get(name)
    return None if one is None else _read(one)


def choice_options(choice: object) -> list[object]:
    """Return all values of a choice of the page in order; an empty list if there is no such choice."""
    one = find_choice_state(choice)
    return [] if one is None else one.values


def choice_ref(choice: object, *, none_value: object = None, fallback: object = None) -> Any:
    """Return a reference to a choice, in which the browser fills in the current value."""
    one = find_choice_state(choice)
    return (
        ChoiceRef(choice_address_name(choice), none_value, fallback)
        if one is None
        else ChoiceRef(one.key, none_value, fallback, one.range_key)
    )


def select_by_choice(values: object, *choices: object) -> ByChoice:
    """Index values by choices of the page; if that is too much to send, keep only the values that are chosen."""
    ranges: dict[str, str] = {}
    for name in map(choice_address_name, choices):
        one = find_choice_state(name)
        if one is not None and one.is_large:
            values = _take_index(values, len(ranges), one.index)
            state.session_slot(_REQUIRED, set[str]).add(one.key)
        else:
            ranges |= {name: ""} if one is None else {one.key: one.range_key}
    return ByChoice(values, tuple(ranges), ranges)


def _take_index(values: Any, axis: int, index: int) -> object:
    """Take one index of nested values along an axis."""
    if isinstance(values, np.ndarray):
        return values.take(index, axis)
    return values[index] if axis == 0 else [_take_index(one, axis - 1, index) for one in values]


def for_each_option(make: Callable[..., object], *choices: object) -> Any:
    """Call `make(*values)` for each combination of these choices, or only for the chosen one if all are too many.

    Raises:
        LookupError: if the page has no such choice.
    """
    return map_choices(make, *(select_by_choice(_find_required(choice).values, choice) for choice in choices))


def _find_required(choice: object) -> _ChoiceState:
    one = find_choice_state(choice)
    if one is None:
        raise LookupError(f"the page has no choice {choice_address_name(choice)!r}")
    return one


def rerun_on_choice_change(names: Iterable[object], unless: str | None = None) -> None:
    """Declare that the current fragment needs choices on the server, unless the browser has these model weights."""
    state.session_slot(_ENGINE if unless else _REQUIRED, set[str]).update(
        [unless] if unless else map(choice_address_name, names)
    )


def needs_choices_on_server() -> bool:
    """Return whether the fragment that is being drawn needs choices on the server."""
    return bool(state.session_slot(_REQUIRED, set[str]))


def weights_used_in_browser() -> str | None:
    """Return the model weights with which the browser computes this fragment, or None if it computes nothing."""
    return next(iter(state.session_slot(_ENGINE, set[str])), None)


def choice_value_for_browser(choice: object) -> object:
    """Return the current value of a choice as the browser encodes it."""
    return _find_required(choice).browser_value


def subscribe_to_choices(names: Sequence[str], key: str, unless: str | None = None) -> None:
    """Have the browser report every move of these choices to the current fragment, which needs them on the server.

    Args:
        key: the fragment's name on the page.
        unless: a model's weights; moves are reported only if the browser cannot have them.
    """
    found = [one for one in map(find_choice_state, dict.fromkeys(names)) if one is not None]
    if found:
        told = {
            "values": {one.key: one.browser_value for one in found},
            "begins": {one.key: one.n_reset for one in found},
            "unless": unless,
        }
        mount("tell", page_element_key("tell", key), pack_message(told, {}), height=0, chosen=None)


def choice_control_messages(names: Collection[str], moved: Collection[str], fixed: str | None = None) -> list[bytes]:
    """Return the browser messages of these choices with their current values, for a standalone page.

    Args:
        moved: those that a picture on that page moves; the others get a control.
        fixed: why they cannot be moved, if they cannot.
    """
    held = state.session_slot(SLOT, dict[str, _ChoiceState])
    found = [_read(one) for name, one in [*held.items()] if name in names]  # in page order
    return [
        pack_message({"choice": _to_message(one, is_moved=one.key in moved) | ({"fixed": fixed} if fixed else {})}, {})
        for one in found
    ]


def choice_address_names() -> list[str]:
    """Return the names of all choices of the page, as used in the address."""
    return [*state.session_slot(SLOT, dict[str, _ChoiceState])]


def apply_browser_choices(key: str) -> None:
    """Take over the choices that the browser has reported since this fragment's last run. Call it at the start."""
    state.clear_session_slot(_REQUIRED)
    state.clear_session_slot(_ENGINE)
    said = st.session_state.get(page_element_key("tell", key))
    text = said.get("chosen") if isinstance(said, Mapping) else None
    if (
        not isinstance(text, str)
        or len(text) > _MAX_REPORT_CHARS
        or text == state.session_slot(f"{SLOT}.heard.{key}", str)
    ):
        return
    state.set_session_slot(f"{SLOT}.heard.{key}", text)
    for one, value in _reported_values(text):
        if one.key in state.session_slot(SET_KEYS, set[str]):
            continue  # set by a chip after the browser's report
        if value == one.default:
            st.query_params.pop(one.key, None)
        else:
            st.query_params[one.key] = address.to_address_values(one.control, value)
        _keep(replace(one, value=value, address_text=_address(one.key)))


def sync_typed_texts(text: str) -> None:
    """Take over texts that the browser reported on leaving the page, when the address was already the next page's."""
    for one, value in _reported_values(text):
        if one.control.kind == "text_input":
            _keep(replace(one, value=value))


def _reported_values(text: str) -> list[tuple[_ChoiceState, object]]:
    """Return the movable choices that a browser message names, with their checked values."""
    if len(text) > _MAX_REPORT_CHARS:
        return []
    try:
        values = dict(json.loads(text)["values"])
    except (ValueError, TypeError, KeyError):
        return []  # forged
    held: dict[str, _ChoiceState] = state.session_slot(SLOT, dict)
    free = [held[name] for name in values if name in held and held[name].lock_reason is None]
    checked = [(one, *_checked(one.control, values[one.key], one.default)) for one in free]
    return [(one, value) for one, value, problem in checked if not problem]


def _resolve(control: Control, values: object) -> tuple[_ChoiceState, str]:
    """Return a choice's current state, and why the requested value is not used; "" if it is used."""
    name, given, look = str(control.name), controls.active_control_overrides(), control.view
    assert look is not None, "only a choice is asked here"
    content, n = look.scope(values) if look.scope else "", look.n_number(values) if look.n_number else 0
    key, default, fixed = given.prefix + name, controls.default_of(name, control), controls.lock_reason(name)
    held: dict[str, _ChoiceState] = state.session_slot(SLOT, dict)
    before, asked, kept = held.get(key), _address(key), st.session_state.get(key)
    value, problem, begins, came = default, "", *((0, 0) if before is None else (before.n_reset, before.n_arrival))
    if name in given.locked:
        pass  # an author's lock holds against any link
    elif before is None:
        if key in state.session_slot(controls.CARRIED_KEYS, set[str]):
            came = state.session_slot(_ARRIVALS, int) + 1
            state.set_session_slot(_ARRIVALS, came)
        address.write_new_control_to_address(key, control, default)
        value, problem = _checked(control, kept if asked is None and kept is not None else asked, default)
    elif kept is not None and (
        kept != before.value or key in state.session_slot(SET_KEYS, set[str])
    ):  # by a chip, for example
        value, begins = _checked(control, kept, default)[0], begins + 1
    elif asked != before.address_text:
        value, problem = _checked(control, asked, default)
    elif content != before.scope:
        begins += 1
    elif before.value != before.default:
        value = _checked(control, before.value, default)[0]
    state.session_slot(SET_KEYS, set[str]).discard(key)
    return _keep(
        _ChoiceState(control, key, value, default, asked, begins, content, fixed, n > _MAX_NUMBERS, came)
    ), problem


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


def _read(one: _ChoiceState) -> _ChoiceState:
    """Return the choice with its value from the address: the browser may have moved it since it was drawn.

    A value that a chip has just set is newer than the address; the control takes it when it is next drawn.
    """
    asked = _address(one.key)
    if one.key in state.session_slot(SET_KEYS, set[str]):
        return one
    if asked == one.address_text or one.key not in st.session_state:
        return one
    return _keep(replace(one, value=_checked(one.control, asked, one.default)[0], address_text=asked))


def _keep(one: _ChoiceState) -> _ChoiceState:
    state.session_slot(SLOT, dict[str, _ChoiceState])[one.key] = one
    st.session_state[one.key] = one.value
    state_now = ControlState(
        one.control.label,
        one.value,
        address.to_address_values(one.control, one.value),
        one.lock_reason is not None,
        one.value != one.default,
    )
    record_drawn_control(one.key, state_now)
    return one


def _plain(control: Control, value: object) -> object:
    """Return a value for a message; for a tuple (such as layer and head), which a browser can't compare, its label."""
    if control.kind == "several":
        return [*value] if isinstance(value, tuple) else value
    return label_of(control, value) if isinstance(value, tuple) else value


def _to_message(one: _ChoiceState, *, is_moved: bool = True) -> dict[str, object]:
    """Return what the browser needs to draw a choice, check an address and reset the choice.

    Args:
        is_moved: whether a picture moves it, if it has no control of its own.
    """
    control, look = one.control, one.control.view
    assert look is not None, "a choice has one"
    told = {
        "name": one.key,
        "label": control.label,
        "help": control.help,
        "range": one.range_key,
        "value": one.browser_value,
        "default": _plain(control, one.default),
        "begins": f"{one.n_reset} {one.scope}",
        "came": one.n_arrival,
        "of": controls.active_control_overrides().prefix + look.parent if look.parent else None,
        "fixed": TAGS[one.lock_reason] if one.lock_reason else None,
        "hidden": (is_moved and not look.is_drawn) or controls.is_hidden(str(control.name)) or _is_single(control),
    }
    if control.kind == "text_input":
        return told | {"most": control.options["max_chars"]}
    if control.kind != "slider":
        options = [
            [_plain(control, value), label_of(control, value), option_key(control, value)]
            for value in option_values(control)
        ]
        kind = {"is_list": control.kind == "select", "is_several": control.kind == "several"}
        return told | {"options": options} | kind
    scale = {name: control.options[name] for name in ("low", "high", "step")}
    return told | scale | {"digits": controls.n_decimal(scale["step"])}
