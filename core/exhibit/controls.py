"""Declarations of controls, one for each input value, and the checks of the values.

A page makes its controls from these declarations, with their names in the address; scripts, experiments and tests use
them, too. A limit or a default may be a function of the values declared above it.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, Unpack

from core.data.checks import check_whole
from core.data.localization.labels import module_labels
from core.data.name_suggestions import suggest_names
from core.data.printable import quote_briefly

# Limits with reasons. A prompt is part of the page's address, which servers and chat programs cut beyond a few
# thousand characters; and attention over n tokens makes n x n numbers per head.
PROMPT_CHARS = 1_000
LINE_CHARS = 120  # names of runs and files: what fits on one line
MAX_SEED = 2**31 - 1  # every random generator that we use accepts it
LABELS = module_labels(__name__)
NOT_YET, SHOW = "not yet", "show"  # the initial value of a guess, and the one for visitors who don't want to guess

T = TypeVar("T")
Derived = Callable[[Any], T]  # a function of the values declared above it
MaybeDerived: TypeAlias = T | Derived[T]  # a value, or such a function
TextValue = MaybeDerived[str]
Limit = MaybeDerived[float]
OptionLabels = MaybeDerived[Mapping[Any, str]]
Options = Iterable[object] | OptionLabels | Derived[Iterable[object]]
Notes = Callable[[str, Any, Any], object]  # called with a control's name, its value, and the values so far


class NothingToShow(ValueError):
    """There is nothing to compute from, such as an empty text; the message says what to do."""


@dataclass(frozen=True)
class ViewChoice:
    """A choice of what to display, which the browser can show from the data that it has."""

    # a short key of the values above that it depends on; another key, as of another text, resets the choice
    scope: Derived[str] | None = None
    parent: str = ""  # the choice that it belongs to, as a key belongs to its query; if that changes, this one is reset
    # how many numbers there are to choose from; if they are too many to send, the server is asked for the chosen ones
    n_number: Derived[int] | None = None
    is_drawn: bool = True  # whether there is a control; without one, only pictures change it


@dataclass(frozen=True, kw_only=True)
class Control:
    """The declaration of one input value: its control, limits and default."""

    # "slider", "number", "seed", "select", "segmented", "several", "toggle", "text_input", "text_area"; "picked":
    # chosen in a picture; "custom": by a function of its own; "steps": training steps, without a control
    kind: str
    label: Any = ""  # its label; it may be a function of the values above
    default: Any = None  # the initial value
    help: str | None = None  # shown when the mouse is over it
    name: str | None = None  # in the address; None: the field's name, after the class's prefix
    when: Derived[bool] | None = None  # whether it is shown at all; if not, it has its default
    depth: Literal["story", "numbers"] = "story"  # from which it is shown, or once a link or a lesson has changed it
    # a function, "core.rooms.recurrent.unrolled:follow_clicks", called with the control at its limits and the values
    # above before the control is drawn: it changes the value after a click in a picture, or draws buttons
    before_render: str | None = None
    heading: str | None = None  # a heading above it, which begins a new row of controls; "": only begins one
    view: ViewChoice | None = None  # set if it only chooses what to display, so that the browser needs no server
    is_above: bool = False  # whether it is drawn above the picture, below the question it answers, not in the rail
    options: Mapping[str, Any] = field(default_factory=dict)  # further arguments of its kind; see the functions below

    def resolve(self, given: object) -> "Control":
        """Return the control with the limits and the default that follow from the values so far."""
        options = {
            key: value(given) if key in _LAZY and callable(value) else value for key, value in self.options.items()
        }
        default = self.default(given) if callable(self.default) else self.default
        if self.kind in ("slider", "number"):
            default = min(max(default, options["low"]), max(options["low"], options["high"]))
        label = self.label(given) if callable(self.label) else self.label
        return replace(self, label=label, default=default, options=options)

    def check(self, value: object, given: object = None) -> Any:
        """Check a value, and return it; the control must have its limits (see `resolve`). Raises ValueError."""
        check = _CHECKS.get(self.kind)
        return value if check is None else check(self, value, given)


class ControlKwargs(TypedDict, total=False):
    """Further arguments of any control: see `Control`."""

    help: str | None
    name: str | None
    when: Derived[bool] | None
    depth: Literal["story", "numbers"]
    before_render: str | None
    heading: str | None
    view: ViewChoice | None
    is_above: bool


# The options of a control that may depend on other values.
_LAZY = ("low", "high", "options", "labels", "reason", "most")


def slider(
    low: Limit,
    high: Limit,
    default: Limit,
    *,
    step: float = 1,
    label: TextValue = "",
    format: str | None = None,
    notes: Notes | None = None,
    **how: Unpack[ControlKwargs],
) -> Any:
    """Declare a number on a scale; it is whole if limits, default and step are whole.

    Args:
        low, high, default: may be functions of the values above.
        notes: as in `text_input`.
        how: see `ControlKwargs`; the same in all functions below.
    """
    return _declare("slider", label, default, how, low=low, high=high, step=step, format=format, notes=notes)


def number_input(
    low: Limit,
    high: Limit,
    default: Limit,
    *,
    reason: TextValue,
    label: TextValue = "",
    step: float | None = None,
    format: str | None = None,
    **how: Unpack[ControlKwargs],
) -> Any:
    """Declare a typed number; `reason` says why there is an upper limit, as the end of "at most 512, ..."."""
    return _declare("number", label, default, how, low=low, high=high, reason=reason, step=step, format=format)


def seed(default: int = 0, *, label: TextValue = "", **how: Unpack[ControlKwargs]) -> int:
    """Declare the seed of all random numbers: the same seed gives the same result."""
    how.setdefault("help", LABELS["seed.help"])
    return _declare("seed", label, default, how, low=0, high=MAX_SEED, step=1, reason=LABELS["seed.reason"])


def hidden_training_steps(default: int, most: Limit) -> int:
    """Declare training steps, which have no control. A script may use any number, a browser at most `most`."""
    return _declare("steps", "", default, {"name": "n_step"}, most=most)


def select(
    options: Options,
    default: object,
    *,
    label: TextValue = "",
    labels: OptionLabels | None = None,
    **how: Unpack[ControlKwargs],
) -> Any:
    """Declare a choice of one of several options, in a drop-down list; `options`: values, or value -> label."""
    return _declare("select", label, default, how, options=options, labels=labels)


def segmented_control(
    options: Options,
    default: object,
    *,
    label: TextValue = "",
    labels: OptionLabels | None = None,
    **how: Unpack[ControlKwargs],
) -> Any:
    """Declare a choice of one of a few options, all visible; see `select`."""
    return _declare("segmented", label, default, how, options=options, labels=labels)


def guess_control(
    answers: Iterable[str] | Mapping[str, str], *, label: TextValue = "", **how: Unpack[ControlKwargs]
) -> str:
    """Declare a guess before the result is shown: one of the answers' keys, `NOT_YET` or `SHOW`."""
    texts = answers if isinstance(answers, Mapping) else dict.fromkeys(answers, "")
    options = {NOT_YET: LABELS["guess.open"], **texts, SHOW: LABELS["guess.show"]}
    return _declare("segmented", label, NOT_YET, how, options=options, labels=None)


def multi_select(
    options: Options,
    default: MaybeDerived[Iterable[object]] = (),
    *,
    label: TextValue = "",
    **how: Unpack[ControlKwargs],
) -> tuple[str, ...]:
    """Declare a choice of any number of options, in their order; the default may be a function of the values above."""
    return _declare("several", label, default if callable(default) else tuple(default), how, options=options)


def toggle(default: MaybeDerived[bool] = False, *, label: TextValue = "", **how: Unpack[ControlKwargs]) -> bool:
    """Declare a choice of yes or no."""
    return _declare("toggle", label, default, how)


def text_input(
    default: TextValue = "",
    *,
    label: TextValue = "",
    max_chars: int = LINE_CHARS,
    keep_end: bool = False,
    widget: Mapping[str, object] | None = None,
    read_by: str | None = None,
    most: int | None = None,
    notes: Notes | None = None,
    **how: Unpack[ControlKwargs],
) -> str:
    """Declare one line of text, of which the first `max_chars` characters are used, or the last with `keep_end`.

    Args:
        widget: further arguments of Streamlit's field, such as `placeholder`.
        read_by: the field above that holds a model; the page then says which words it doesn't know, and what is cut.
        most: the largest number of tokens that are read.
        notes: draws notes below the field, such as unknown words; it is called with the name in the address, the typed
            text, and the values above.
    """
    shape = {"max_chars": max_chars, "keep_end": keep_end, "widget": widget or {}}
    shape |= {"read_by": read_by, "most": most, "notes": notes}
    return _declare("text_input", label, default, how, **shape)


def text_area(
    default: TextValue = "",
    *,
    label: TextValue = "",
    max_chars: int = PROMPT_CHARS,
    height: int | None = None,
    notes: Notes | None = None,
    **how: Unpack[ControlKwargs],
) -> str:
    """Declare several lines of text, of which the last `max_chars` characters are used; `notes`: as in `text_input`."""
    return _declare("text_area", label, default, how, max_chars=max_chars, height=height, notes=notes)


def selection_in_picture(
    picture: str,
    default: TextValue,
    *,
    text: Callable[[Any, Any], str | None],
    check: Callable[[str, Any], object],
    content: Derived[str] = lambda given: "",
    part: str = "pick",
    stays: bool = False,
    **how: Unpack[ControlKwargs],
) -> str:
    """Declare a choice in a picture: a short text, which is stored in the address.

    Args:
        picture: the name of the picture.
        default: the text before anything is chosen.
        text: (the picture's message, values above) -> the text, or None if the message is invalid.
        check: (the text, values above): raises ValueError if a link has an invalid text.
        content: a short key of the picture's content; if it changes, the choice is reset.
        part: the part of the picture's message: "pick", "edit", "drawn" or "settings".
        stays: True if the picture stays the same one when its content changes; its key:
            `picks.picture_widget_key(picture, "")`.
    """
    given = {"picture": picture, "text": text, "test": check, "content": content, "part": part, "stays": stays}
    return _declare("picked", "", default, how, **given)


def custom_control(render: str, default: object, *, heading: str | None = None, **options: object) -> Any:
    """Declare a value that is chosen by a function with its own controls.

    Args:
        render: the function, "core.ui.models.pick_inputs:pick_model_and_text". It draws its controls and returns the
            value, or shows a message and returns None if there is no value yet.
        default: the value used outside the app.
        options: passed to the function; an option that is a function is first called with the values above.
    """
    return _declare("custom", "", default, {"heading": heading}, ask=render, given=options)


def _declare(kind: str, label: TextValue, default: object, how: ControlKwargs, **options: object) -> Any:
    return Control(kind=kind, label=label, default=default, options=options, **how)


def check_is_control(value: object) -> Control:
    """Return a field's declaration, which is typed as its value, for code that stores controls in a table."""
    if not isinstance(value, Control):
        raise TypeError(f"{value!r} doesn't declare a control")
    return value


def option_values(control: Control) -> list[Any]:
    """Return the options of a control with its limits (see `at`), in order."""
    return list(control.options["options"])


def label_of(control: Control, option: object) -> str:
    """Return the label of an option."""
    options = control.options["options"]
    labels = options if isinstance(options, Mapping) else control.options.get("labels") or {}
    return str(labels.get(option, option))


def option_key(control: Control, option: object) -> str:
    """Return the key of an option in addresses, lessons and receipts: its value, "0.1" of (0, 1), else its label."""
    parts = option if isinstance(option, tuple) else (option,)
    is_plain = all(isinstance(part, str | int | float) for part in parts)
    return ".".join(map(str, parts)) if is_plain else label_of(control, option)


def are_integers(*values: object) -> bool:
    """Return whether all these numbers are whole."""
    return all(isinstance(value, int) for value in values if value is not None)


def _check_number(control: Control, value: object, _: object) -> float:
    low, high, step = (control.options[key] for key in ("low", "high", "step"))
    whole = are_integers(low, high, control.default, step)
    reason = control.options.get("reason")
    key = f"not_a_{'whole_number' if whole else 'number'}{'.reason' if reason else ''}"
    refusal = ValueError(LABELS(key, value=quote_briefly(value), low=low, high=high, reason=reason))
    is_long = isinstance(value, str) and len(value) > 40  # no allowed number is longer
    if isinstance(value, bool) or not isinstance(value, int | float | str) or is_long:
        raise refusal
    try:
        given = float(value)
    except (ValueError, OverflowError):
        raise refusal from None
    if not math.isfinite(given) or not low <= given <= high or (whole and given != int(given)):
        raise refusal
    return int(given) if whole else given


def _check_steps(_: Control, value: object, __: object) -> int:
    return check_whole("n_step", value, least=1)


def _check_option(control: Control, value: object, _: object = None) -> Any:
    options = option_values(control)
    for option in options:
        # A browser writes 1.0 as 1.
        is_kin = isinstance(value, type(option)) or (isinstance(option, float) and isinstance(value, int))
        if is_kin and option == value and isinstance(option, bool) == isinstance(value, bool):
            return option
    names = {option_key(control, option): option for option in options}
    if isinstance(value, str):
        by_label = {label_of(control, option): option for option in options}
        for known in (names, by_label):
            if value in known:
                return known[value]
        former: Mapping[str, str] = control.options.get("old_labels", {})
        if former.get(value) in names:
            return names[former[value]]
    listed = f"{', '.join([*names][:8])}{', …' if len(names) > 8 else ''}"
    raise ValueError(
        LABELS("not_an_option", value=quote_briefly(value), options=listed) + suggest_names(str(value), names)
    )


def _check_several(control: Control, value: object, _: object) -> tuple[str, ...]:
    if not isinstance(value, str | list | tuple):
        raise ValueError(LABELS("not_a_list", value=quote_briefly(value)))
    # The address has "" if nothing is chosen.
    given = [value] if isinstance(value, str) else value
    chosen = {_check_option(control, option) for option in given if option != ""}
    return tuple(option for option in option_values(control) if option in chosen)


def _check_toggle(control: Control, value: object, _: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    raise ValueError(LABELS("not_a_boolean", value=quote_briefly(value)))


def _check_text(control: Control, value: object, _: object) -> str:
    if not isinstance(value, str):
        raise ValueError(LABELS("not_a_text", value=quote_briefly(value)))
    return value


def _check_picked(control: Control, value: object, given: object) -> str:
    text = _check_text(control, value, given)
    control.options["test"](text, given)
    return text


_CHECKS: Mapping[str, Callable[[Control, object, object], object]] = {
    "slider": _check_number,
    "number": _check_number,
    "seed": _check_number,
    "steps": _check_steps,
    "select": _check_option,
    "segmented": _check_option,
    "several": _check_several,
    "toggle": _check_toggle,
    "text_input": _check_text,
    "text_area": _check_text,
    "picked": _check_picked,
}
