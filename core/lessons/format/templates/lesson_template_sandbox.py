"""Jinja's sandbox for the templates of lessons: only known parts are allowed, and their work is counted beforehand."""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np
from jinja2 import nodes
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment, SecurityError
from jinja2.visitor import NodeTransformer

from core.data.localization.labels import module_labels
from core.lessons.format.templates import template_work_limit

LABELS = module_labels(__name__)

MAX_POWER = 64
_READS = "all any argmax argmin decode get item items keys max mean min startswith strip sum tolist values"
# Macros (which can call themselves), block assignments and imports (which read files) are not allowed.
_PARTS = (
    "Add And Assign Call Compare Concat CondExpr Const Dict Div EvalContext FloorDiv For Filter Getattr "
    "Getitem If Keyword List Mod Mul Name Neg Not Operand Or Output Pair Pos Pow Slice Sub Template "
    "TemplateData Test Tuple"
)
_TESTS = "boolean defined even false float integer mapping none number odd sequence string true undefined"
_COMPARE = {
    "eq": operator.eq, "ne": operator.ne, "gt": operator.gt, "gteq": operator.ge, "lt": operator.lt,
    "lteq": operator.le, "in": lambda a, b: a in b, "notin": lambda a, b: a not in b,
}  # fmt: skip
# No template can use these names, because they have a space.
_LOOP, _MADE, _JOINED, _COMPARED = "steps of", "made here", "joined up", "compared by"


class TemplateSandbox(ImmutableSandboxedEnvironment):
    """A sandbox for untrusted lessons: templates read numbers but reach no models, no files and nothing unbounded."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def bound(self, tests: Mapping[str, Any], filters: Mapping[str, Callable[..., object]]) -> None:
        """Let templates use these filters, each with its work counted, and the simple ones among the tests."""
        ours: dict[str, Callable[..., object]] = {
            _LOOP: template_work_limit.meter_template_loop,
            _MADE: template_work_limit.check_template_value_size,
            _JOINED: _joined,
            _COMPARED: _compared,
        }
        self.filters = {name: _counted(name, function) for name, function in filters.items()} | ours
        self.tests = {name: tests[name] for name in _TESTS.split()}
        shown = self.finalize or (lambda value: value)
        self.finalize = lambda value: shown(template_work_limit.check_template_value_size(value))

    def _generate(self, source: nodes.Template, *args: Any, **how: Any) -> str:
        return super()._generate(_Bounded().visit(source), *args, **how)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> object:
        """Refuse operations that fill the memory, and those that arrays only warn about, such as a division by zero."""
        if operator == "**" and abs(right) > MAX_POWER:
            raise SecurityError(f"a power is at most {MAX_POWER}")
        template_work_limit.check_binop(operator, left, right)
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            return super().call_binop(context, operator, left, right)

    def call(self, context: Context, obj: object, *args: object, **kwargs: object) -> object:
        """Count the work of a call."""
        named = {name: one for name, one in kwargs.items() if not name.startswith("_")}  # Jinja adds some arguments
        template_work_limit.check_template_call(getattr(obj, "__self__", None), args, named)
        return super().call(context, obj, *args, **kwargs)

    def getitem(self, obj: object, argument: object) -> object:
        """Refuse an index that takes too many items from an array."""
        template_work_limit.check_indexed_result_size(obj, argument)
        return super().getitem(obj, argument)

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
        """Refuse modules and everything of torch, because models are shared and must never be changed."""
        is_of_torch = any(one.__module__.partition(".")[0] == "torch" for one in type(value).__mro__)
        return not (is_of_torch or isinstance(value, ModuleType)) and super().is_safe_attribute(obj, attr, value)

    def is_safe_callable(self, obj: Callable[..., object]) -> bool:
        """Allow functions that only read, and the methods of a result."""
        owner = getattr(obj, "__self__", None)
        reads = isinstance(owner, np.ndarray | np.generic | str | bytes | Mapping) and obj.__name__ in _READS.split()
        return reads or is_dataclass(type(owner)) or obj in self.globals.values()


class _Bounded(NodeTransformer):
    """A transformer that wraps each part of a template that can take long or grow in a filter that counts."""

    def generic_visit(self, node: nodes.Node, *args: object, **how: object) -> nodes.Node:
        """Refuse unknown parts."""
        if type(node).__name__ not in _PARTS.split():
            raise SecurityError(LABELS("not_allowed", part=type(node).__name__.lower()))
        return super().generic_visit(node, *args, **how)

    def visit_For(self, node: nodes.For) -> nodes.Node:
        if node.recursive:
            raise SecurityError(LABELS["recursive_loop"])
        n_part = sum(1 for _ in _parts(node))
        made = self.generic_visit(node)
        node.iter = _filter(node.iter, _LOOP, nodes.Const(n_part))
        return made

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _filter(nodes.List(node.nodes), _JOINED)

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        self.generic_visit(node)
        operators = nodes.Const(tuple(one.op for one in node.ops))
        return _filter(node.expr, _COMPARED, operators, *(one.expr for one in node.ops))

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        if any(isinstance(one, nodes.Slice) for one in node.items):
            raise SecurityError(LABELS["slice_in_place"])
        self.generic_visit(node)
        return _filter(node, _MADE) if node.ctx == "load" else node

    def visit_List(self, node: nodes.List) -> nodes.Node:
        return _filter(self.generic_visit(node), _MADE)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:
        return _filter(self.generic_visit(node), _MADE)


def _parts(node: nodes.Node) -> Iterator[nodes.Node]:
    for one in node.iter_child_nodes():
        yield one
        yield from _parts(one)


def _filter(node: object, name: str, *args: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, list(args), [], None, None)


def _joined(values: list[object]) -> str:
    """Compute `a ~ b`. Raises SecurityError if the result is too long."""
    return "".join(map(str, template_work_limit.check_template_value_size(values)))


def _compared(value: object, operators: tuple[str, ...], *others: object) -> object:
    """Compute `a < b < c`."""
    found = True
    for name, other in zip(operators, others, strict=True):
        template_work_limit.check_operand_sizes(value, other)
        found = found and _COMPARE[name](value, other)
        value = other
    return found


def _counted(name: str, function: Callable[..., object]) -> Callable[..., object]:
    """Wrap a filter so that it counts the work of reading its input and making its result."""
    n_before = 1 if hasattr(function, "jinja_pass_arg") else 0  # Jinja passes its environment first

    @wraps(function)
    def count(*args: Any, **how: object) -> object:
        value = args[n_before]
        template_work_limit.check_template_filter_arguments(*args[n_before + 1 :], *how.values())
        if name in ("length", "first", "last", "markdown"):
            template_work_limit.spend_work(1)
        elif name in ("string", "join"):
            template_work_limit.check_template_value_size(
                value if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__len__") else list(value)
            )
        else:
            template_work_limit.spend_work_on_values(value)
        found = function(*args, **how)
        return template_work_limit.check_template_value_size(found) if isinstance(found, str | list) else found

    return count
