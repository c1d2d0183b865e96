"""The pseudo-translation of a lesson (`core.data.localization.labels`): every field that a learner reads is marked."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from core.data.localization.labels import pseudo_markdown
from core.lessons.format.lesson import Lesson, LessonPart, LessonStep

TEXTS = {"title", "about", "trains", "text", "ask", "say", "because", "found", "unit", "x_title", "y_title", "sources"}
TEXTS_BY_KEY = {"options", "why"}
Part = TypeVar("Part", bound=Lesson | LessonStep | LessonPart)


def pseudo_translate_lesson(part: Part) -> Part:
    """Return a lesson, or a part of one, with all its texts pseudo-translated."""
    return replace(part, **{field.name: _translated(field.name, getattr(part, field.name)) for field in fields(part)})


def _translated(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return pseudo_markdown(value) if name in TEXTS else value
    if isinstance(value, Mapping) and name in TEXTS_BY_KEY:
        return {key: pseudo_markdown(text) for key, text in value.items()}
    if isinstance(value, tuple):
        return tuple(_translated(name, one) for one in value)
    return pseudo_translate_lesson(value) if is_dataclass(value) else value  # type: ignore[type-var]
