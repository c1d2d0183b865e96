"""How a question is answered, as its block says: options, a number, a curve."""

import math
from collections.abc import Mapping
from typing import Any

from core.lessons.format.block import Block
from core.lessons.format.lesson import Choice, Curve, Form, Number
from core.ui.numbers import power_of_ten

MAX_PLACES = 40  # of a curve: more than a hand sets apart
_NONE = Choice(options={})  # stands where the block was refused


def options_of(block: Block) -> dict[str, str]:
    """Two to six options: short name -> what is offered."""
    options: dict[str, str] = {}
    for name, text in block.mapping("options").items():
        if isinstance(text, bool) or not isinstance(text, str | int | float) or not str(text).strip():
            block.problem(f"The option {name!r} has no text; put it in quotes.", "options")
        options[name] = str(text).strip()
    if not 2 <= len(options) <= 6:
        block.problem(f"{len(options)} options; a question has two to six.", "options")
    return options


def distractors_of(block: Block, form: Form) -> tuple[str, ...]:
    """Options that can never be the answer: a list of their short names."""
    listed = block.values.pop("distractors", None)
    if listed is None:
        return ()
    if not isinstance(listed, list) or not isinstance(form, Choice):
        block.problem("distractors is a list of options: [one, two].", "distractors")
        return ()
    for one in map(str, listed):
        if one not in form.options:
            block.problem(f"distractors: {one!r} is none of the options: {', '.join(form.options)}.", "distractors")
    return tuple(map(str, listed))


def form_of(block: Block) -> Form:
    """The form of a prediction; what is wrong with it is reported."""
    named = [name for name in ("options", "number", "curve") if name in block.values]
    if len(named) != 1:
        for name in named:
            block.values.pop(name)
        block.problem("A prediction has one of options:, number: and curve:.")
        return _NONE
    name = named[0]
    if name == "options":
        return Choice(options=options_of(block))
    values = block.mapping(name)
    low, high = _number(values.pop("low", None)), _number(values.pop("high", None))
    if low is None or high is None or not low < high:
        block.problem(f"{name} needs low and high: two numbers, low below high.", name)
        low, high = 0.0, 1.0
    made: Form
    if name == "number":
        made = Number(low=low, high=high, unit=str(values.pop("unit", "")))
    else:
        made = Curve(
            x=_places(block, values.pop("x", None)),
            low=low,
            high=high,
            x_title=str(values.pop("x_title", "")),
            y_title=str(values.pop("y_title", "")),
        )
    for left in values:
        block.problem(f"{name} has no field {left!r}.", name)
    return made


def right_of(block: Block, form: Form, right: Any) -> str | float | tuple[float, ...]:
    """The author's own answer, if it fits the form."""
    if isinstance(form, Choice):
        if str(right) not in form.options:
            block.problem(f"right: {right!r} is none of the options: {', '.join(form.options)}.", "right")
        return str(right)
    if isinstance(form, Number):
        number = _number(right)
        if number is None:
            block.problem("right: isn't a number.", "right")
        elif said := out_of_reach(form, number):
            block.problem(f"right: {said}", "right")
        return number or 0.0
    heights = [_number(one) for one in right] if isinstance(right, list) else []
    if len(heights) != len(form.x) or None in heights:
        block.problem(f"right: a curve over {len(form.x)} places needs as many numbers.", "right")
    elif said := out_of_reach(form, heights):
        block.problem(f"right: {said}", "right")
    return tuple(one or 0.0 for one in heights)


def _places(block: Block, x: Any) -> tuple[float, ...]:
    places = [_number(one) for one in x] if isinstance(x, list) and len(x) <= MAX_PLACES else []
    known = [one for one in places if one is not None]
    if len(known) < 2 or len(known) < len(places) or known != sorted(set(known)):
        block.problem(f"curve needs x: 2 to {MAX_PLACES} rising numbers.", "curve")
        return (0.0, 1.0)
    return tuple(known)


def _number(value: Any) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str) or len(str(value)) > 40:
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def short(value: float) -> str:
    """A number as a person writes it: 21, 0.35, 1,024."""
    if abs(value) >= 1e15 or (value and abs(value) < 1e-4):
        return power_of_ten(value, 2)
    if float(value).is_integer():
        return f"{int(value):,}".replace("-", "−")
    return (f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.1f}").replace("-", "−")


def shown(form: Form, value: Any) -> str:
    """An answer in the words of its question: Markdown of the author's."""
    if isinstance(form, Choice):
        return form.options.get(str(value), str(value))
    if isinstance(form, Number):
        number = short(float(value))
        unit = form.unit.removesuffix("s") if number == "1" else form.unit  # units stand in the plural
        return f"{number}{unit}" if unit in ("", "%", "°") else f"{number} {unit}"
    return "the curve"


def out_of_reach(form: Form, value: Any) -> str:
    """Why nobody can give an answer that is right: it lies outside of the field; "" where it doesn't."""
    if isinstance(form, Choice):
        return ""
    outside = [one for one in ((value,) if isinstance(form, Number) else value) if not form.low <= one <= form.high]
    if not outside:
        return ""
    field = f"from low: {short(form.low)} to high: {short(form.high)}"
    return f"The answer is {short(outside[0])}, which can't be given {field}."


def fits(form: Form, value: Any) -> bool:
    """Whether a value can be an answer to a question of this form. What comes from a browser may be anything."""
    if isinstance(form, Choice):
        return str(value) in form.options if isinstance(value, str | int) else False
    if isinstance(form, Number):
        return _is_finite(value)
    if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__len__"):
        return False
    return len(value) == len(form.x) and all(_is_finite(one) for one in value)


def is_right(form: object, right: Any, said: Any) -> bool | None:
    """Whether an answer is right: of numbers, within a twentieth of the range; None where nobody can say."""
    if right is None or isinstance(form, Curve):
        return None
    if isinstance(form, Number):
        return bool(abs(said - right) <= (form.high - form.low) / 20 + 1e-9)
    return bool(str(said).casefold() == str(right).casefold())


def _is_finite(value: Any) -> bool:
    try:
        return not isinstance(value, bool | str) and math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False
