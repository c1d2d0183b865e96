"""The forms of answers (options, a number, a curve): showing an answer, and checking whether it fits or is right."""

import math
from collections.abc import Mapping
from typing import Any

from core.data.localization.labels import module_labels
from core.data.localization.locales import localize_number
from core.data.localization.numbers import format_power_of_ten
from core.lessons.format.lesson import AnswerForm, ChoiceForm, CurveAnswerForm, NumberForm

LABELS = module_labels(__name__)


def readable_number(value: float) -> str:
    """Format a number as a person writes it: 21, 0.35, 1,024."""
    if abs(value) >= 1e15 or (value and abs(value) < 1e-4):
        return format_power_of_ten(value, 2)
    spec = ",.0f" if float(value).is_integer() else ",.4g" if abs(value) < 1000 else ",.1f"
    return localize_number(format(value, spec)).replace("-", "−")


def answer_text(form: AnswerForm, value: Any) -> str:
    """Return an answer in the words of its question, as the author's Markdown."""
    if isinstance(form, ChoiceForm):
        return form.options.get(str(value), str(value))
    if isinstance(form, NumberForm):
        number = readable_number(float(value))
        unit = form.unit.removesuffix("s") if number == "1" else form.unit  # units are in the plural
        return f"{number}{unit}" if unit in ("", "%", "°") else f"{number} {unit}"
    return LABELS["the_curve"]


def out_of_range_message(form: AnswerForm, value: Any) -> str:
    """Return a message if the answer lies outside the field's range, so that nobody can give it; "" otherwise."""
    if isinstance(form, ChoiceForm):
        return ""
    outside = [one for one in ((value,) if isinstance(form, NumberForm) else value) if not form.low <= one <= form.high]
    if not outside:
        return ""
    value, low, high = map(readable_number, (outside[0], form.low, form.high))
    return LABELS("out_of_range", value=value, low=low, high=high)


def fits_form(form: AnswerForm, value: Any) -> bool:
    """Return whether a value, which may be anything from a browser, can answer a question of this form."""
    if isinstance(form, ChoiceForm):
        return str(value) in form.options if isinstance(value, str | int) else False
    if isinstance(form, NumberForm):
        return _is_finite(value)
    if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__len__"):
        return False
    return len(value) == len(form.x) and all(_is_finite(one) for one in value)


def is_right_answer(form: object, right: Any, said: Any) -> bool | None:
    """Return whether an answer is right (a number: within 1/20 of the range), or None if that isn't known."""
    if right is None or isinstance(form, CurveAnswerForm):
        return None
    if isinstance(form, NumberForm):
        return bool(abs(said - right) <= (form.high - form.low) / 20 + 1e-9)
    return bool(str(said).casefold() == str(right).casefold())


def _is_finite(value: Any) -> bool:
    try:
        return not isinstance(value, bool | str) and math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False
