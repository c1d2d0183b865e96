"""The blocks of a lesson's file: conversion of their values to parts of the lesson."""

import math
import re
from collections.abc import Callable, Mapping

from core.data.localization.labels import module_labels
from core.lessons.format.forms import out_of_range_message
from core.lessons.format.lesson import (
    AnswerForm,
    CheckQuestion,
    ChoiceForm,
    CodeExcerpt,
    CurveAnswerForm,
    ExhibitPart,
    ExhibitTask,
    LessonPart,
    NumberForm,
    PredictQuestion,
    Prose,
)
from core.ui.frame.depth import DEPTHS, FORMER_DEPTHS

LABELS = module_labels(__name__)

MAX_PLACES = 40  # of a curve; a hand can't set more apart
_NO_CHOICE = ChoiceForm(options={})  # replaces a block that was refused
_CONTROL = re.compile(r"[a-z][a-z0-9_.]{0,63}")
_COMPUTE = re.compile(r"core\.rooms\.\w+\.compute(\.\w+)+:\w+", re.ASCII)  # pure functions, which change nothing
_EXHIBIT = re.compile(r"\S.{0,79}")  # whether it exists is checked later, for all exhibits at once


class FencedBlock:
    """The values of a block, taken out one by one; values that are left over are problems.

    `line` is the block's line in the file, `lines` the line of each name; `report` is called with the line and the
    message of each problem.
    """

    def __init__(
        self, values: Mapping[object, object], lines: Mapping[str, int], line: int, report: Callable[[int, str], None]
    ) -> None:
        self.values = {str(name): value for name, value in values.items()}
        self.lines, self.line, self._report = lines, line, report

    def problem(self, message: str, name: str = "") -> None:
        """Report a problem, in the line of this name if it has one."""
        self._report(self.lines.get(name, self.line), message)

    def words(self, name: str, default: str | None = None) -> str:
        """Take out a text."""
        value = self.values.pop(name, default)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            self.problem(LABELS("no_value", name=name) if value is None else LABELS("not_a_text", name=name), name)
            return ""
        if default is None and not value.strip():
            self.problem(LABELS("empty", name=name), name)
        return value.strip()

    def mapping(self, name: str) -> dict[str, object]:
        """Take out a mapping of names to values; {} if it is missing."""
        value = self.values.pop(name, None)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.problem(LABELS("not_a_mapping", name=name), name)
            return {}
        return {str(key): one for key, one in value.items()}

    def control_names(self, name: str) -> tuple[str, ...]:
        """Take out a list of names of controls."""
        value = self.values.pop(name, None)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.problem(LABELS("not_a_list", name=name), name)
            return ()
        return tuple(one for one in map(str, value) if self.is_control(one, name))

    def is_control(self, one: str, name: str) -> bool:
        """Return whether this can be the name of a control; report a problem if not."""
        if _CONTROL.fullmatch(one) is None:
            self.problem(LABELS("not_a_control", one=repr(one)), name)
            return False
        return True

    def close(self, kind: str) -> None:
        """Report the fields that are left over."""
        for name in self.values:
            self.problem(LABELS("no_field", kind=repr(kind), name=repr(name)), name)


def _exhibit(block: FencedBlock, name: str) -> ExhibitPart:
    if _EXHIBIT.fullmatch(name) is None:
        block.problem(LABELS["no_exhibit"])
    values = {key: value for key, value in block.mapping("set").items() if block.is_control(key, "set")}
    lock, hide = block.control_names("lock"), block.control_names("hide")
    return ExhibitPart(name=name, values=values, lock=lock, hide=hide, line=block.line)


def _predict(block: FencedBlock, _rest: str) -> PredictQuestion:
    answer = block.words("answer", "") or None
    right = block.values.pop("right", None)
    if (answer is None) == (right is None):
        block.problem(LABELS["answer_or_right"])
    form = _take_form(block)
    compute, own = block.words("compute", ""), block.values.get("own")
    if compute and _COMPUTE.fullmatch(compute) is None:
        block.problem(
            LABELS["no_function"],
            "compute",
        )
    return PredictQuestion(
        ask=block.words("ask"),
        form=form,
        answer=answer,
        found=block.words("found", ""),
        exhibit=block.words("exhibit", ""),
        compute=compute,
        given=block.mapping("with"),
        own=block.words("own") if isinstance(own, str) else None if own is None else block.mapping("own"),
        right=None if right is None else _checked_right_answer(block, form, right),
        because=block.words("because", ""),
        line=block.line,
        distractors=_take_distractors(block, form),
    )


def _check(block: FencedBlock, _rest: str) -> CheckQuestion:
    options, right = _take_options(block), block.words("right")
    if right not in options:
        block.problem(LABELS("right_not_an_option", right=repr(right), options=", ".join(options)), "right")
    why = {name: str(text) for name, text in block.mapping("why").items()}
    for name in why:
        if name not in options:
            block.problem(LABELS("why_not_an_option", name=repr(name)), "why")
    because = block.words("because", "")
    return CheckQuestion(
        ask=block.words("ask"), options=options, right=right, why=why, because=because, line=block.line
    )


def _do(block: FencedBlock, _rest: str) -> ExhibitTask:
    return ExhibitTask(say=block.words("say"), when=block.words("when"), line=block.line)


def _code(block: FencedBlock, place: str) -> CodeExcerpt:
    if re.fullmatch(r"core(\.\w+)+:\w+(\.\w+)?", place, re.ASCII) is None:
        block.problem(LABELS["no_code"])
    return CodeExcerpt(place=place, line=block.line)


def parse_deeper_block(block: FencedBlock, depth: str, text: str) -> Prose:
    """Make prose of a given depth from a block whose body is Markdown, not YAML."""
    for known in DEPTHS:
        if FORMER_DEPTHS.get(depth, depth) == known:
            return Prose(text=text.strip(), depth=known)
    block.problem(LABELS("no_depth", depths=", ".join(DEPTHS)))
    return Prose(text=text)


def _take_options(block: FencedBlock) -> dict[str, str]:
    """Take out two to six options: short name -> text."""
    options: dict[str, str] = {}
    for name, text in block.mapping("options").items():
        if isinstance(text, bool) or not isinstance(text, str | int | float) or not str(text).strip():
            block.problem(LABELS("option_without_text", name=repr(name)), "options")
        options[name] = str(text).strip()
    if not 2 <= len(options) <= 6:
        block.problem(LABELS("n_options", n_options=len(options)), "options")
    return options


def _take_distractors(block: FencedBlock, form: AnswerForm) -> tuple[str, ...]:
    """Take out the options that can never be the answer, a list of short names."""
    listed = block.values.pop("distractors", None)
    if listed is None:
        return ()
    if not isinstance(listed, list) or not isinstance(form, ChoiceForm):
        block.problem(LABELS["distractors_not_a_list"], "distractors")
        return ()
    for one in map(str, listed):
        if one not in form.options:
            block.problem(
                LABELS("distractor_not_an_option", one=repr(one), options=", ".join(form.options)), "distractors"
            )
    return tuple(map(str, listed))


def _take_form(block: FencedBlock) -> AnswerForm:
    """Take out the form of a prediction, reporting its problems."""
    named = [name for name in ("options", "number", "curve") if name in block.values]
    if len(named) != 1:
        for name in named:
            block.values.pop(name)
        block.problem(LABELS["one_form"])
        return _NO_CHOICE
    name = named[0]
    if name == "options":
        return ChoiceForm(options=_take_options(block))
    values = block.mapping(name)
    low, high = _number(values.pop("low", None)), _number(values.pop("high", None))
    if low is None or high is None or not low < high:
        block.problem(LABELS("low_and_high", name=name), name)
        low, high = 0.0, 1.0
    made: AnswerForm
    if name == "number":
        made = NumberForm(low=low, high=high, unit=str(values.pop("unit", "")))
    else:
        made = CurveAnswerForm(
            x=_places(block, values.pop("x", None)),
            low=low,
            high=high,
            x_title=str(values.pop("x_title", "")),
            y_title=str(values.pop("y_title", "")),
        )
    for left in values:
        block.problem(LABELS("form_has_no_field", name=name, left=repr(left)), name)
    return made


def _checked_right_answer(block: FencedBlock, form: AnswerForm, right: object) -> str | float | tuple[float, ...]:
    """Return the author's own answer, reporting a problem if it doesn't fit the form."""
    if isinstance(form, ChoiceForm):
        if str(right) not in form.options:
            block.problem(LABELS("right_not_an_option", right=repr(right), options=", ".join(form.options)), "right")
        return str(right)
    if isinstance(form, NumberForm):
        number = _number(right)
        if number is None:
            block.problem(LABELS["right_not_a_number"], "right")
        elif said := out_of_range_message(form, number):
            block.problem(LABELS("right", said=said), "right")
        return number or 0.0
    heights = [_number(one) for one in right] if isinstance(right, list) else []
    if len(heights) != len(form.x) or None in heights:
        block.problem(LABELS("right_curve", n_place=len(form.x)), "right")
    elif said := out_of_range_message(form, heights):
        block.problem(LABELS("right", said=said), "right")
    return tuple(one or 0.0 for one in heights)


def _places(block: FencedBlock, x: object) -> tuple[float, ...]:
    places = [_number(one) for one in x] if isinstance(x, list) and len(x) <= MAX_PLACES else []
    known = [one for one in places if one is not None]
    if len(known) < 2 or len(known) < len(places) or known != sorted(set(known)):
        block.problem(LABELS("curve_places", most=MAX_PLACES), "curve")
        return (0.0, 1.0)
    return tuple(known)


def _number(value: object) -> float | None:
    """Return a value as a finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str) or len(str(value)) > 40:
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


BLOCK_PARSERS: Mapping[str, Callable[[FencedBlock, str], LessonPart]] = {
    "exhibit": _exhibit,
    "predict": _predict,
    "check": _check,
    "do": _do,
    "code": _code,
}
