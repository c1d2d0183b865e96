"""The answers to a question, by its form: options, a number, a curve."""

import math
from collections.abc import Mapping
from typing import Any

from core.lessons.format.lesson import Choice, Curve, Form, Number
from core.ui.numbers import power_of_ten


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
    """The reason why no answer can be right, because it lies outside of the field; "" if it doesn't."""
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
