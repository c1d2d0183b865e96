"""Expressions and templates of lessons, evaluated by Jinja in a read-only sandbox that limits their work."""

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from jinja2 import TemplateError, Undefined, meta
from jinja2.filters import FILTERS
from jinja2.sandbox import SecurityError

from core.charts import axis
from core.data.localization.labels import module_labels
from core.lessons.format.templates import template_work_limit
from core.lessons.format.templates.lesson_template_sandbox import TemplateSandbox
from core.ui.exhibit import exhibit_text

LABELS = module_labels(__name__)

MAX_LETTERS = 10_000  # of a template; ten times the longest of our lessons
MOST_SPEC = 6
_FILTERS = "abs dictsort first float int join last length list lower max min round string sum"
_FAULTS = (
    TemplateError, LookupError, TypeError, ValueError, AttributeError, StopIteration, ArithmeticError, MemoryError,
    RecursionError,
)  # fmt: skip
T = TypeVar("T")
NameLookup = Callable[[str], object]


class TemplateRefused(ValueError):
    """The template isn't valid or allowed; the message is for its author."""


def _interpolated(x: float, at: Sequence[float], heights: Sequence[float]) -> float:
    return float(np.interp(x, at, heights))


def _environment() -> TemplateSandbox:
    made: TemplateSandbox = exhibit_text.jinja_environment(TemplateSandbox)
    filters = {name: filter for name, filter in made.filters.items() if name not in FILTERS}
    filters |= {name: FILTERS[name] for name in _FILTERS.split()}
    filters["of"] = lambda value, spec: exhibit_text.TrustedMarkdown(format(value, spec[:MOST_SPEC]))
    filters["size"] = lambda value: exhibit_text.TrustedMarkdown(axis.format_scientific(value))
    made.bound(made.tests, filters)
    made.globals = {"range": made.globals["range"], "interp": _interpolated}
    return made


_ENVIRONMENT = _environment()


def check_template(text: str) -> set[str]:
    """Check a template's syntax and return the names that it needs. Raises TemplateRefused if it can't be parsed."""
    if len(text) > MAX_LETTERS:
        raise TemplateRefused(LABELS("too_long", length=len(text), most=MAX_LETTERS))
    try:
        with template_work_limit.meter_template_work():
            _ENVIRONMENT.from_string(text)
            # Looking for names evaluates what is constant, which can fail, too.
            return meta.find_undeclared_variables(_ENVIRONMENT.parse(text)) - _ENVIRONMENT.globals.keys()
    except (TemplateError, ValueError, ArithmeticError, SyntaxError) as error:
        raise TemplateRefused(f"{error}.") from None
    except (RecursionError, MemoryError):  # Python's own compiler raises MemoryError if it is too complex
        raise TemplateRefused(LABELS["too_many_brackets"]) from None


def evaluate_expression(expression: str, named: NameLookup, **more: object) -> Any:
    """Evaluate an expression.

    `named` is called only for the names in it, because a property may be expensive.

    Raises TemplateRefused if it uses names that don't exist, or operations that aren't allowed.
    """
    names = check_template(f"{{{{ {expression} }}}}")
    with template_work_limit.meter_template_work():
        made = _ENVIRONMENT.compile_expression(expression, undefined_to_none=False)
        value = _filled(made, names, named, more)
    if isinstance(value, Undefined):
        raise TemplateRefused(f"{expression} is undefined.")
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return str(value) if isinstance(value, str) else value


def fill_template(text: str, named: NameLookup, **more: object) -> str:
    """Fill in the names of a template. Arguments and errors as in `evaluate_expression`."""
    names = check_template(text)
    with template_work_limit.meter_template_work():
        made = _ENVIRONMENT.from_string(text)
        return exhibit_text.unwrap_paragraphs(
            _filled(lambda **values: _written(made.generate(**values)), names, named, more)
        )


def _written(pieces: Iterable[str]) -> str:
    """Join all pieces to one text. Raises SecurityError if it is too long."""
    text = io.StringIO()
    for piece in pieces:
        text.write(piece)
        if text.tell() > 2 * template_work_limit.MAX_SIZE:  # escaping makes it longer
            raise SecurityError(f"it writes more than {template_work_limit.MAX_SIZE:,} letters")
    return text.getvalue()


def _filled(made: Callable[..., T], names: set[str], named: NameLookup, more: Mapping[str, object]) -> T:
    values = {name: named(name) for name in names - more.keys()}
    try:
        return made(**values, **more)
    except _FAULTS as error:
        raise TemplateRefused(f"{error}.") from None
