"""Every function of `core` whose signature names the shape of an array is held to it, in every test of this process.

jaxtyping's own import hook would wrap all functions and check each call: a forward pass of our small models then takes
three times as long. Here only signatures with shapes are wrapped, and of the calls in one test the first, second,
fourth, eighth, … are checked. The rest of the types is mypy's.
"""

import functools
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import FunctionType, ModuleType
from typing import Any, get_args

from beartype import beartype
from jaxtyping import AbstractArray, TypeCheckError, jaxtyped

calls: Counter[Callable] = Counter()  # of each function, in this test


def names_a_shape(annotation: Any) -> bool:
    is_array = isinstance(annotation, type) and issubclass(annotation, AbstractArray)
    return is_array or any(names_a_shape(part) for part in get_args(annotation))


def check_arrays(function: Callable) -> Callable:
    shapes = {name: hint for name, hint in function.__annotations__.items() if names_a_shape(hint)}
    function.__annotations__ = shapes
    return beartype(function)


def checked(function: Callable) -> Callable:
    """The function, which refuses arrays of other shapes than its signature says."""

    @functools.cache
    def strict() -> Callable:
        return jaxtyped(function, typechecker=check_arrays)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        calls[function] += 1
        if calls[function].bit_count() > 1:  # no power of two
            return function(*args, **kwargs)
        try:
            return strict()(*args, **kwargs)
        except TypeCheckError:
            function(*args, **kwargs)  # raises in its own words, where it refuses such arrays itself
            raise

    return call


def has_shapes(function: Any) -> bool:
    return isinstance(function, FunctionType) and any(map(names_a_shape, function.__annotations__.values()))


def check(owner: ModuleType | type, module: str) -> None:
    """Wraps what a module or a class holds, classes in it included."""
    for name, thing in list(vars(owner).items()):
        if inspect.isclass(thing):
            if thing.__module__ == module:
                check(thing, module)
        elif isinstance(thing, property):
            if has_shapes(thing.fget):
                setattr(owner, name, thing.getter(checked(thing.fget)))
        elif isinstance(thing, staticmethod | classmethod):
            if has_shapes(thing.__func__):
                setattr(owner, name, type(thing)(checked(thing.__func__)))
        elif has_shapes(thing) and (thing.__module__ == module or name == "__init__"):  # a record's is made elsewhere
            setattr(owner, name, checked(thing))


class CheckedLoader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        check(module, module.__name__)


class CheckedFinder(MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not f"{name}.".startswith("core."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = CheckedLoader(spec.loader.name, spec.loader.path)
        return spec


def pytest_runtest_setup() -> None:
    calls.clear()


if "core" in sys.modules:
    raise RuntimeError("core was imported before its shapes could be checked")
sys.meta_path.insert(0, CheckedFinder())
