"""Controls that a person can set. Each has one name, which is also its parameter in the address of the page.

A value may come from the screen, from a handwritten link or from a forged message, so each is checked here as well as
in the browser. A value that does not fit is refused with a plain message and the default is used instead.

A lesson or a teacher's link presets, locks or hides controls by name:
`?temperature=0.5&lock=temperature&hide=seed`.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar, overload

import streamlit as st

from core.data.localization.labels import module_labels
from core.exhibit import Control, are_integers, label_of, option_values
from core.ui import state
from core.ui.controls import address
from core.ui.controls.drawn_controls import ControlState, page_controls_by_name, record_drawn_control
from core.ui.controls.locks import BUTTON_HELP, CAPTIONS, THIS_IS, LockReason, lock_sentence
from core.ui.controls.values_with_control_names import choice_address_name
from core.ui.text_formatting import CleanedText, clean_text, escape_markdown

LABELS = module_labels(__name__)

T = TypeVar("T")

_LOCK_ICON = ":material/lock:"
_NAME = re.compile(r"[a-z][a-z0-9_.]{0,63}")
_MAX_NAMES = 120  # more than any page has controls
SET_KEYS = "put"  # keys of controls set from elsewhere, until the choice has taken the value over
CARRIED_KEYS = "carried"  # keys of values carried over from the previous page, to be written into this page's address
OPTION_LABELS = "labels"  # of the chosen options on this page, by name in the address


_Clean = Callable[[str], CleanedText]


@dataclass(frozen=True)
class ControlOverrides:
    """The presets that a page or lesson gives to an exhibit's controls."""

    prefix: str = ""  # Prepended to each name in the address if a page shows the same exhibit twice
    # Defaults by name, in place of the exhibit's own
    values: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    locked: frozenset[str] = frozenset()  # Shown but not changeable
    hidden: frozenset[str] = frozenset()  # Not shown at all


class PresetRefused(ValueError):
    """A preset that its control does not accept; the message explains why."""


NO_PRESETS = ControlOverrides()
_PRESETS: ContextVar[ControlOverrides] = ContextVar("presets", default=NO_PRESETS)


@contextmanager
def apply_control_overrides(given: ControlOverrides) -> Iterator[None]:
    """Apply these presets to the controls drawn inside."""
    token = _PRESETS.set(given)
    try:
        yield
    finally:
        _PRESETS.reset(token)


def active_control_overrides() -> ControlOverrides:
    """Return the presets in force here, for a callback that moves a control later."""
    return _PRESETS.get()


@contextmanager
def override_control_defaults(**values: object) -> Iterator[None]:
    """Use these values as defaults of the controls drawn inside, unless presets give others."""
    given = _PRESETS.get()
    with apply_control_overrides(replace(given, values=MappingProxyType(values | dict(given.values)))):
        yield


def render_controls(declared: Mapping[str, Control], given: object, *names: str) -> None:
    """Draw some of a form's controls here, each if its `Control.when` holds, and store their values in `given`."""
    for name in names:
        control = declared[name]
        is_asked = control.when is None or control.when(given)
        control = control.resolve(given)
        setattr(given, name, render_control(control) if is_asked else control.default)


@overload
def render_control(control: Control) -> Any: ...
@overload
def render_control(control: T) -> T: ...
def render_control(control: Any) -> Any:
    """Draw a control and return its value, checked; a text is cleaned of control characters and cut with a message.

    Args:
        control: with its name in the address.
    """
    control = control.resolve(None)
    name, options, key = str(control.name), control.options, _PRESETS.get().prefix + str(control.name)
    if control.kind in ("text_input", "text_area"):
        keep_end = control.kind == "text_area" or options["keep_end"]
        clean = partial(clean_text, max_chars=options["max_chars"], keep_end=keep_end)
        text: str = _render(name, control, clean)
        return text if control.kind == "text_area" else text.replace("\n", " ")
    kept = st.session_state.get(key)
    if control.kind == "slider":
        if options["low"] >= options["high"]:  # a model with one layer needs no special case
            st.caption(LABELS("only_value", label=escape_markdown(control.label), value=options["low"]))
            return options["low"]
    elif control.kind in ("number", "seed") and _is_whole(control) and isinstance(kept, float) and math.isfinite(kept):
        # The field shows a typed 3.7 as 4, so 4 is what is used.
        st.session_state[key] = float(round(kept))
    elif control.kind in ("select", "segmented"):
        # The browser identifies the chosen option by its label; a label that has changed (with a text) is sent again.
        labels = state.session_slot(OPTION_LABELS, dict[str, str])
        if key in labels and kept in option_values(control) and labels[key] != label_of(control, kept):
            st.session_state[key] = kept
        value = _render(name, control)
        labels[key] = label_of(control, value)
        return value
    return _render(name, control)


def _draw(control: Control, key: str, value: Any, **how: Any) -> object:
    """Draw the control with Streamlit and return its value, still unchecked."""
    options, label = control.options, control.label
    how |= {"key": key, "help": control.help}
    match control.kind:
        case "slider":
            low, high, step = options["low"], options["high"], options["step"]
            kind = int if are_integers(low, high, value, step) else float
            shape = options["format"] or f"%.{n_decimal(step)}f"
            # Streamlit keeps a value chosen on a longer scale (with a different text or model), and then refuses to
            # draw.
            if not low <= (kept := st.session_state.get(key, value)) <= high:
                st.session_state[key] = kind(min(max(kept, low), high))
            return st.slider(label, kind(low), kind(high), kind(value), kind(step), format=shape, **how)
        case "number" | "seed":
            low, high, whole = options["low"], options["high"], _is_whole(control)
            limits = LABELS("limits", low=low, high=high, reason=options["reason"])
            how["help"] = f"{control.help} {limits}" if control.help else limits
            step = float(options["step"] or (1 if whole else 0.01))
            shape = options.get("format") or ("%.0f" if whole else None)
            # Always a field of floats: Streamlit's field of whole numbers breaks on a forged infinity.
            return st.number_input(label, float(low), float(high), float(value), step, format=shape, **how)
        case "select":
            how["format_func"] = partial(label_of, control)
            return st.selectbox(label, option_values(control), option_values(control).index(value), **how)
        case "segmented":
            how |= {"required": True, "wrap": True, "format_func": partial(label_of, control)}
            return st.segmented_control(label, option_values(control), default=value, **how)
        case "several":
            how |= {"selection_mode": "multi", "wrap": True, "format_func": partial(label_of, control)}
            return st.pills(label, option_values(control), default=list(value), **how)
        case "toggle":
            return st.toggle(label, value, **how)
        case "text_input":
            return st.text_input(label, value, **options["widget"], **how)
        case "text_area":
            return st.text_area(label, value, options["height"], **how)
    raise ValueError(f"no control is drawn as {control.kind!r}")


def set_control(choice: object, value: object) -> bool:
    """Set a control from elsewhere, such as a click in a picture, before it is drawn in this run.

    A locked or hidden control keeps its value, and a message tells the person who clicked why.

    Returns:
        True if it has the value now.
    """
    name = choice_address_name(choice)
    if set_control_silently(name, value):
        return True
    held = page_controls_by_name().get(_PRESETS.get().prefix + name)
    if held is not None and held.value == value:
        return True
    reason = lock_reason(name)
    if reason is not None:
        said = THIS_IS[reason] if held is None else lock_sentence(reason, escape_markdown(held.label))
        st.toast(said, icon=_LOCK_ICON)
    return False


def set_control_silently(choice: object, value: object) -> bool:
    """Reset a control, for example for a new text. A locked or hidden control keeps its value, without a message."""
    name = choice_address_name(choice)
    is_free = lock_reason(name) is None
    if is_free:
        key = _PRESETS.get().prefix + name
        st.session_state[key] = value
        state.session_slot(SET_KEYS, set[str]).add(key)
    return is_free


def prefill_text(choice: object, value: str) -> None:
    """Prefill a text and write it into the address, unless a link or an author has set one."""
    name, given = choice_address_name(choice), _PRESETS.get()
    key = given.prefix + name
    if key not in st.query_params and name not in given.values and set_control_silently(name, value):
        st.query_params[key] = value


def is_moved(control: Control) -> bool:
    """Return whether a link, a chip or a preset has moved a control that is not drawn yet in this run.

    Args:
        control: with its limits resolved.
    """
    given, name = _PRESETS.get(), str(control.name)
    key = given.prefix + name
    if name in given.values or key in st.query_params:
        return True
    return not address.matches_stored_value(st.session_state.get(key, control.default), control.default)


def current_value(choice: object, default: object) -> Any:
    """Return a control's value before it is drawn in this run; `default` if it has never been drawn."""
    return st.session_state.get(_PRESETS.get().prefix + choice_address_name(choice), default)


def lock_reason(name: str) -> LockReason | None:
    """Return what keeps a control from being moved; None if nothing does."""
    given = _PRESETS.get()
    if name in given.locked | given.hidden:
        return "lesson"
    by_link: tuple[LockReason, ...] = ("lock", "hide")
    return next((one for one in by_link if _is_named(one, name, given.prefix + name)), None)


def control_button(
    label: str,
    moves: Any,
    *,
    key: str,
    on_click: Callable[..., object] | None = None,
    args: tuple[object, ...] = (),
    **how: Any,
) -> bool:
    """Draw a button that moves controls. It is omitted if all are hidden, and disabled with a reason if none can move.

    Args:
        moves: a control, or a tuple or list of several; each as its declaration, its value in `draw`, or its name.
        on_click: called before the next run under the presets in force here, so `set_control` works in a lesson, too.
    """
    names = [choice_address_name(one) for one in (moves if type(moves) in (tuple, list) else (moves,))]
    given = _PRESETS.get()
    if all(map(is_hidden, names)):
        return False

    def click(*args: object) -> None:
        with apply_control_overrides(given):
            if on_click is not None:
                on_click(*args)

    reasons = [reason for reason in map(lock_reason, names) if reason is not None]
    if len(reasons) == len(names):
        how |= {"disabled": True, "help": BUTTON_HELP[reasons[0]], "icon": _LOCK_ICON}
    return st.button(label, key=key, on_click=click, args=args, **how)


def is_hidden(choice: object) -> bool:
    """Return whether a control (`inputs.guess` or its name) is hidden here; parts that only it moves can be omitted."""
    name, given = choice_address_name(choice), _PRESETS.get()
    return name in given.hidden or _is_named("hide", name, given.prefix + name)


def is_control_shown(control: Control) -> bool:
    """Return whether the page shows something for this control: the control or its only possible value."""
    return not is_hidden(str(control.name)) and (control.view is None or control.view.is_drawn)


def settable_key(name: str) -> str | None:
    """Return a control's session key, for a button that sets it; None if the control is locked or hidden."""
    return None if lock_reason(name) else _PRESETS.get().prefix + name


def _render(name: str, control: Control, clean: _Clean | None = None) -> Any:
    """Draw one control under the presets in force and return a value that has passed its check.

    Raises:
        ValueError: if an author's name or preset does not fit; visitors cannot cause it.
    """
    if _NAME.fullmatch(name) is None:
        raise ValueError(f"control name {name!r} must be lower-case letters, digits, dots and underscores")
    value, is_fixed = _value_in_force(name, control, clean)
    is_moved = value != _PRESETS.get().values.get(name, control.default)
    now = ControlState(control.label, value, address.to_address_values(control, value), is_fixed, is_moved)
    record_drawn_control(_PRESETS.get().prefix + name, now)
    return value


def _value_in_force(name: str, control: Control, clean: _Clean | None) -> tuple[object, bool]:
    """Return the value in force, and whether it is locked or hidden."""
    given, check, default = _PRESETS.get(), control.check, default_of(name, control)
    if name in given.locked:  # an author's lock holds against any link
        if name not in given.hidden:
            _draw_locked(control, f"{given.prefix}{name}.locked", default, name)
        return default, True
    key = given.prefix + name
    address.follow_default(key, default)
    # The address's text for it; None if the address lacks it.
    asked = (st.query_params.get_all(key) or None) if control.kind == "several" else st.query_params.get(key)
    has_options = control.kind in ("select", "segmented", "several")
    if has_options:
        address.follow_address(key, control, default)
    is_first = key not in st.session_state
    if is_hidden(name):
        return _cleaned(
            address.check_or_default(asked, default, check)[0] if asked is not None else default, clean
        ), True
    # Streamlit's own limit silently drops a pasted text that is too long, so we apply ours. (A text from a link
    # cannot be replaced in the run that reads it; the box then follows in the next run.)
    kept, cut = st.session_state.get(key), []
    if clean is not None and isinstance(kept, str) and len(kept) > control.options["max_chars"]:
        short = clean(kept)
        st.session_state[key], cut = short.text, list(short.problems)
    is_locked, bind = _is_named("lock", name, key), {} if has_options else {"bind": "query-params"}
    if is_locked:
        drawn = _draw_locked(control, key, default, name, **bind)
    else:
        if not address.write_new_control_to_address(key, control, default):
            address.keep_in_address(key, default, check)
        drawn = _draw(control, key, default, **bind)
    value = address.check_or_default(drawn, default, check)[0]
    if has_options:
        address.write_option(key, control, value, default)
    problems = cut
    if asked is not None and is_first:
        problems = cut + _problems(asked, check, clean, LABELS["link_value_unused"])
    if not (problems and drawn is None):  # the link's option is unknown, so none is chosen; reported already
        problems += _problems(drawn, check, clean, LABELS["default_used"])
    for problem in dict.fromkeys(problems):
        st.warning(LABELS("problem", label=escape_markdown(control.label), problem=escape_markdown(problem)))
    return _cleaned(value, clean), is_locked


def default_of(name: str, control: Control) -> object:
    """Return a control's default: the preset if there is one, otherwise its own."""
    given = _PRESETS.get().values
    try:
        return control.check(given[name]) if name in given else control.default
    except (ValueError, OverflowError) as refusal:
        raise PresetRefused(f"{control.label} ({name}): {refusal}") from None


def _draw_locked(control: Control, key: str, value: object, name: str, **how: object) -> object:
    """Draw a control that nobody can move, with a note on what has locked it."""
    with st.container(gap=None):
        drawn = _draw(control, key, value, disabled=True, **how)
        if (reason := lock_reason(name)) is not None:
            st.caption(f"{_LOCK_ICON} {CAPTIONS[reason]}")
    return drawn


def _cleaned(value: T, clean: _Clean | None) -> T:
    if clean is None or not isinstance(value, str):
        return value
    text: Any = clean(value).text
    return text


def _problems(value: Any, check: Callable[[object], object], clean: _Clean | None, outcome: str) -> list[str]:
    problem = address.check_or_default(value, None, check)[1]
    if problem is not None:
        return [f"{problem} {outcome}"]
    return list(clean(value).problems) if clean is not None else []


def _is_whole(control: Control) -> bool:
    return are_integers(control.options["low"], control.options["high"], control.default, control.options["step"])


def _is_named(parameter: str, name: str, key: str) -> bool:
    """Return whether a link locks or hides a control, by its name in the address or by its own name anywhere."""
    named = parse_control_names_parameter(parameter)
    return name in named or key in named


def parse_control_names_parameter(parameter: str) -> frozenset[str]:
    """Return the control names listed in `?lock=` or `?hide=`; anything that is not a name is ignored."""
    listed = ",".join(st.query_params.get_all(parameter))[: _MAX_NAMES * 65]
    return frozenset(name for name in listed.split(",")[:_MAX_NAMES] if _NAME.fullmatch(name))


def n_decimal(step: float) -> int:
    """Return the number of decimals that a step can change: 0.05 gives 2, 1 gives 0."""
    return max(0, -math.floor(math.log10(step) + 1e-9)) if step < 1 else 0
