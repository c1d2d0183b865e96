"""How one value is asked for: the functions that declare a control, and the checks of what it is given.

A page makes its controls from these declarations, with their place in the address, and so do scripts, experiments and
tests. A limit or a default may be a function of the values declared above it.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, Unpack

from core.data.checks import whole
from core.data.printable import quote_briefly

# Limits with reasons. A prompt is part of the page's address, which servers and chat programs cut above some
# thousands of characters; and attention over n tokens makes n x n numbers per head.
PROMPT_CHARS = 1_000
LINE_CHARS = 120  # names of runs and files: what fits on one line
MAX_SEED = 2**31 - 1  # every random generator that we use takes it
NOT_YET, SHOW = "not yet", "show"  # what a guess stands at first, and for who wants to see it without

T = TypeVar("T")
Derived = Callable[[Any], T]  # of the values declared above it
MaybeDerived: TypeAlias = T | Derived[T]  # a value, or a function of those
Words = MaybeDerived[str]
Limit = MaybeDerived[float]
Labels = MaybeDerived[Mapping[Any, str]]
Options = Iterable[object] | Labels | Derived[Iterable[object]]
Notes = Callable[[str, Any, Any], object]  # of a control: its name, its value, and the values so far


class NothingToShow(ValueError):
    """There is nothing to compute from, such as an empty text; the message says what to do, in plain words."""


@dataclass(frozen=True)
class Look:
    """A choice of what to look at, which the browser answers from what it has."""

    # what it belongs to, of the values above, in short; with another text, say, it begins anew
    within: Derived[str] | None = None
    of: str = ""  # the choice that it belongs to, as a key to its query: where that moves, this one begins anew
    # how many numbers there are to choose from; where they are too many to send, the server is asked for those that are
    # chosen all the same
    numbers: Derived[int] | None = None
    is_drawn: bool = True  # whether there is a control; without one, pictures alone move it


@dataclass(frozen=True, kw_only=True)
class Control:
    """How one value is asked for."""

    # "slider", "number", "seed", "select", "segmented", "several", "toggle", "text_input", "text_area"; "picked":
    # chosen in a picture; "custom": by a function of its own; "steps": of a training, not asked for
    kind: str
    label: Any = ""  # what stands beside it; it may be a function of the values above
    default: Any = None  # the value to begin with
    help: str | None = None  # said where one points at it
    name: str | None = None  # in the address; None: that of the field, after the class's prefix
    when: Derived[bool] | None = None  # whether it is asked for at all; where not, it has its default
    # from which one on it is asked for; before, only where a link, a chip or a lesson has moved it
    depth: Literal["story", "numbers"] = "story"
    # a function, "core.rooms.heads.opening:follow_clicks", called with the control at its limits and the values above
    # before the control is drawn: it moves it after a click in a picture, or draws its buttons
    before: str | None = None
    heading: str | None = None  # stands above it and begins a new row of controls; "": only begins one
    look: Look | None = None  # it only chooses what to look at: the browser answers it, and no server is asked
    options: Mapping[str, Any] = field(default_factory=dict)  # what else its kind needs; see the functions below

    def at(self, given: object) -> "Control":
        """The same with limits and default as they are after the values given so far."""
        options = {
            key: value(given) if key in _LAZY and callable(value) else value for key, value in self.options.items()
        }
        default = self.default(given) if callable(self.default) else self.default
        if self.kind in ("slider", "number"):
            default = min(max(default, options["low"]), max(options["low"], options["high"]))
        label = self.label(given) if callable(self.label) else self.label
        return replace(self, label=label, default=default, options=options)

    def check(self, value: object, given: object = None) -> Any:
        """The value, checked; a control that stands at its limits (`at`) is asked. Raises ValueError in plain words."""
        check = _CHECKS.get(self.kind)
        return value if check is None else check(self, value, given)


class About(TypedDict, total=False):
    """What any control may have besides: see `Control`."""

    help: str | None
    name: str | None
    when: Derived[bool] | None
    depth: Literal["story", "numbers"]
    before: str | None
    heading: str | None
    look: Look | None


# Of a control's options, what may follow from other values.
_LAZY = ("low", "high", "options", "labels", "reason", "most")


def slider(
    label: Words,
    low: Limit,
    high: Limit,
    default: Limit,
    *,
    step: float = 1,
    format: str | None = None,
    notes: Notes | None = None,
    **how: Unpack[About],
) -> Any:
    """A number on a scale; whole where limits (also functions of the values above), default and step are whole.

    Args:
        notes: as of `text_input`.
        how: see `About`; so with all functions below.
    """
    return _declare("slider", label, default, how, low=low, high=high, step=step, format=format, notes=notes)


def number(
    label: Words,
    low: Limit,
    high: Limit,
    default: Limit,
    *,
    reason: Words,
    step: float | None = None,
    format: str | None = None,
    **how: Unpack[About],
) -> Any:
    """A number typed in; `reason`: why there is an upper limit, as an end of the sentence "at most 512, ..."."""
    return _declare("number", label, default, how, low=low, high=high, reason=reason, step=step, format=format)


def seed(default: int = 0, *, label: str = "Seed", **how: Unpack[About]) -> int:
    """The number that every random draw starts from: the same seed gives the same result."""
    reason = "the largest seed that every generator takes"
    how.setdefault("help", "Every random draw starts from this number, so the same seed gives the same result.")
    return _declare("seed", label, default, how, low=0, high=MAX_SEED, step=1, reason=reason)


def steps(default: int, most: Limit) -> int:
    """Training steps: no control asks for them. A script may ask for any number, a browser for at most `most`."""
    return _declare("steps", "", default, {"name": "n_step"}, most=most)


def select(
    label: Words,
    options: Options,
    default: object,
    *,
    labels: Labels | None = None,
    has_ids: bool = False,
    **how: Unpack[About],
) -> Any:
    """One of several options, in a list that opens; `options`: values, or value -> label.

    The address has the label; with has_ids, the value, which nobody needs to read.
    """
    return _declare("select", label, default, how, options=options, labels=labels, has_ids=has_ids)


def segmented(
    label: Words, options: Options, default: object, *, labels: Labels | None = None, **how: Unpack[About]
) -> Any:
    """One of a few options, all in sight; as `select`."""
    return _declare("segmented", label, default, how, options=options, labels=labels)


def guess(question: str, answers: Mapping[str, str], **how: Unpack[About]) -> str:
    """A guess before the result is shown: one of the answers (short name -> words), `NOT_YET` or `SHOW`."""
    labels = {NOT_YET: "Still thinking", **answers, SHOW: "Just show me"}
    return _declare("segmented", question, NOT_YET, how, options=labels, labels=None)


def several(
    label: Words,
    options: Options,
    default: MaybeDerived[Iterable[object]] = (),
    **how: Unpack[About],
) -> tuple[str, ...]:
    """Any number of options, none included, in their order; the default may be a function of the values above."""
    return _declare("several", label, default if callable(default) else tuple(default), how, options=options)


def toggle(label: Words, default: MaybeDerived[bool] = False, **how: Unpack[About]) -> bool:
    """Yes or no."""
    return _declare("toggle", label, default, how)


def text_input(
    label: Words,
    default: Words = "",
    *,
    max_chars: int = LINE_CHARS,
    keep_end: bool = False,
    widget: Mapping[str, object] | None = None,
    read_by: str | None = None,
    most: int | None = None,
    notes: Notes | None = None,
    **how: Unpack[About],
) -> str:
    """One line of text, of which the first `max_chars` characters are used, or the last.

    Args:
        widget: further arguments of Streamlit's field, such as `placeholder`.
        read_by: the field above that holds a model: it is said which words that does not know, and what is cut.
        most: tokens that are read of it.
        notes: draws what a person should know, such as words that are not known, below the field: it is called with
            the name in the address, what was typed, and the values above.
    """
    shape = {"max_chars": max_chars, "keep_end": keep_end, "widget": widget or {}}
    shape |= {"read_by": read_by, "most": most, "notes": notes}
    return _declare("text_input", label, default, how, **shape)


def text_area(
    label: Words,
    default: Words = "",
    *,
    max_chars: int = PROMPT_CHARS,
    height: int | None = None,
    notes: Notes | None = None,
    **how: Unpack[About],
) -> str:
    """Some lines of text, of which the last `max_chars` characters are used; `notes`: as of `text_input`."""
    return _declare("text_area", label, default, how, max_chars=max_chars, height=height, notes=notes)


def picked(
    picture: str,
    default: Words,
    *,
    text: Callable[[Any, Any], str | None],
    check: Callable[[str, Any], object],
    content: Derived[str] = lambda given: "",
    part: str = "pick",
    stays: bool = False,
    **how: Unpack[About],
) -> str:
    """What a person chooses in a picture: a short text, which the address holds.

    Args:
        picture: names the picture.
        default: the text before anybody chose.
        text: (what the picture sends, values above) -> the text, or None where it sends nonsense.
        check: (the text, values above): raises ValueError in plain words where a link holds nonsense.
        content: what the picture shows, in short; with another one the choice is gone.
        part: of what the picture sends: "pick", "edit", "drawn" or "settings".
        stays: the picture is the same one whatever it shows; its key is `picks.key(picture, "")`.
    """
    given = {"picture": picture, "text": text, "test": check, "content": content, "part": part, "stays": stays}
    return _declare("picked", "", default, how, **given)


def custom(ask: str, default: object, *, heading: str | None = None, **options: object) -> Any:
    """A value with a way of its own to be asked for.

    Args:
        ask: the function, "core.ui.models.model_and_text:pick_inputs". It draws its controls and returns the value, or
            None, after plain words, where there is nothing yet.
        default: the value where nobody can be asked.
        options: handed to the function; what is itself a function is called with the values above first.
    """
    return _declare("custom", "", default, {"heading": heading}, ask=ask, given=options)


def _declare(kind: str, label: Words, default: object, how: About, **options: object) -> Any:
    return Control(kind=kind, label=label, default=default, options=options, **how)


def declared(value: object) -> Control:
    """Return the declaration behind a field that is typed as its value, for code that keeps controls in a table."""
    if not isinstance(value, Control):
        raise TypeError(f"{value!r} declares no control")
    return value


def options_of(control: Control) -> list[Any]:
    """What a control that stands at its limits offers, in order."""
    return list(control.options["options"])


def label_of(control: Control, option: object) -> str:
    """What an option is called."""
    options = control.options["options"]
    labels = options if isinstance(options, Mapping) else control.options.get("labels") or {}
    return str(labels.get(option, option))


def is_whole(*values: object) -> bool:
    """Whether all these numbers are whole ones."""
    return all(isinstance(value, int) for value in values if value is not None)


def _check_number(control: Control, value: object, _: object) -> float:
    low, high, step = (control.options[key] for key in ("low", "high", "step"))
    whole = is_whole(low, high, control.default, step)
    reason = f", {control.options['reason']}" if control.options.get("reason") else ""
    refusal = ValueError(
        f"{quote_briefly(value)} is not a {'whole number' if whole else 'number'} from {low} to {high}{reason}."
    )
    is_long = isinstance(value, str) and len(value) > 40  # no number that we take is longer
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
    return whole("n_step", value, least=1)


def _check_option(control: Control, value: object, _: object = None) -> Any:
    options = options_of(control)
    for option in options:
        # A browser writes 1.0 as 1.
        is_kin = isinstance(value, type(option)) or (isinstance(option, float) and isinstance(value, int))
        if is_kin and option == value and isinstance(option, bool) == isinstance(value, bool):
            return option
    by_label = {label_of(control, option): option for option in options}
    if isinstance(value, str) and value in by_label:
        return by_label[value]
    known = [str(option) for option in options] if control.options.get("has_ids") else list(by_label)
    raise ValueError(f"{quote_briefly(value)} is not one of: {', '.join(known[:8])}{', …' if len(known) > 8 else ''}.")


def _check_several(control: Control, value: object, _: object) -> tuple[str, ...]:
    if not isinstance(value, str | list | tuple):
        raise ValueError(f"{quote_briefly(value)} is no list of options.")
    # "" is what the address holds where nothing is chosen.
    given = [value] if isinstance(value, str) else value
    chosen = {_check_option(control, option) for option in given if option != ""}
    return tuple(option for option in options_of(control) if option in chosen)


def _check_toggle(control: Control, value: object, _: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    raise ValueError(f"{quote_briefly(value)} is neither true nor false.")


def _check_text(control: Control, value: object, _: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{quote_briefly(value)} is not a text.")
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
