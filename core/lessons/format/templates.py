"""Expressions and templates of a lesson: Jinja's, in a sandbox that only reads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from types import ModuleType
from typing import Any

import numpy as np
from jinja2 import TemplateError, Undefined, meta
from jinja2.filters import FILTERS
from jinja2.sandbox import ImmutableSandboxedEnvironment, SecurityError

from core.charts import decades
from core.ui.exhibit import words

MOST_POWER, MOST_SPEC = 64, 6
_READS = "all any argmax argmin decode get item items keys max mean min startswith strip sum tolist values"
_FILTERS = "abs dictsort first float int join last length list lower max min round string sum"
_FAULTS = (TemplateError, LookupError, TypeError, ValueError, AttributeError, StopIteration, ArithmeticError)
Named = Callable[[str], Any]


class TemplateRefused(ValueError):
    """What is wrong with a template, in the words of who reads it."""


class _Sandbox(ImmutableSandboxedEnvironment):
    """A lesson may be anybody's: its templates read numbers, and reach no model, no file, and nothing that grows."""

    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Refuse what fills the memory."""
        if any(isinstance(one, str | bytes | list | tuple) for one in (left, right)):
            raise SecurityError("a text or a list is not multiplied")
        if operator == "**" and abs(right) > MOST_POWER:
            raise SecurityError(f"a power is at most {MOST_POWER}")
        return super().call_binop(context, operator, left, right)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """No modules, and nothing of torch: a model is shared, and never to be changed."""
        is_of_torch = any(one.__module__.partition(".")[0] == "torch" for one in type(value).__mro__)
        return not (is_of_torch or isinstance(value, ModuleType)) and super().is_safe_attribute(obj, attr, value)

    def is_safe_callable(self, obj: Any) -> bool:
        """What only reads, and the methods of a result."""
        owner = getattr(obj, "__self__", None)
        reads = isinstance(owner, np.ndarray | np.generic | str | bytes | Mapping) and obj.__name__ in _READS.split()
        return reads or is_dataclass(type(owner)) or obj in self.globals.values()


def _interpolated(x: float, at: Sequence[float], heights: Sequence[float]) -> float:
    return float(np.interp(x, at, heights))


def _environment() -> _Sandbox:
    made: _Sandbox = words.environment(_Sandbox)
    ours = {name: filter for name, filter in made.filters.items() if name not in FILTERS}
    made.filters = ours | {name: FILTERS[name] for name in _FILTERS.split()}
    made.filters["of"] = lambda value, spec: words.Markdown(format(value, spec[:MOST_SPEC]))
    made.filters["size"] = lambda value: words.Markdown(decades.size_text(value))
    made.globals = {"range": made.globals["range"], "interp": _interpolated}
    return made


_ENVIRONMENT = _environment()


def check(text: str) -> None:
    """Raises TemplateRefused if this cannot be read."""
    try:
        _ENVIRONMENT.from_string(text)
    except (TemplateError, ValueError, ArithmeticError) as error:
        raise TemplateRefused(f"{error}.") from None
    except (RecursionError, MemoryError):  # Python's own compiler says "too complex" with the latter
        raise TemplateRefused("Brackets within brackets, too many.") from None


def evaluate(expression: str, named: Named, **more: Any) -> Any:
    """The value of an expression; `named` is called for each name in it, and for no other: a property may cost
    something.

    Raises TemplateRefused if it asks for what there is not, or for what is not allowed.
    """
    check(text := f"{{{{ {expression} }}}}")
    value = _filled(_ENVIRONMENT.compile_expression(expression, undefined_to_none=False), text, named, more)
    if isinstance(value, Undefined):
        raise TemplateRefused(f"{expression} is undefined.")
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return str(value) if isinstance(value, str) else value


def fill(text: str, named: Named, **more: Any) -> str:
    """A template with its names filled in; as `evaluate`."""
    check(text)
    return words.unwrapped(_filled(_ENVIRONMENT.from_string(text).render, text, named, more))


def _filled(made: Callable[..., Any], text: str, named: Named, more: Mapping[str, Any]) -> Any:
    names = meta.find_undeclared_variables(_ENVIRONMENT.parse(text)) - _ENVIRONMENT.globals.keys() - more.keys()
    values = {name: named(name) for name in names}
    try:
        return made(**values, **more)
    except _FAULTS as error:
        raise TemplateRefused(f"{error}.") from None
