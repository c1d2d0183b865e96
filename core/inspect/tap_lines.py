"""The line of source that made a number: found in the running program by the tensor's name, or by words of the line."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import nn

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class TapLine:
    """The place where a tensor is made, "core/nn/attention.py:165", and the line itself."""

    place: str
    text: str


def tap_line(model: "nn.Module", tensor: str) -> TapLine:
    """The line `tap(self, "<name>", ...)` that makes a tensor of a model, "blocks.0.attn.weights".

    Raises KeyError if there is no such module, or none of its classes taps that name.
    """
    path, _, name = tensor.rpartition(".")
    try:
        module = model.get_submodule(path)
    except AttributeError as error:
        raise KeyError(f"the model has no module {path!r}") from error
    kind: object = type(module)
    return _line(kind, name)


@lru_cache(maxsize=256)
def line_of(function: Callable[..., object], words: str) -> TapLine:
    """The first line of a function, or of a class, that holds these words: for what is computed and not tapped.

    Raises KeyError if there is no such line.
    """
    lines, first = inspect.getsourcelines(function)
    for number, line in enumerate(lines, first):
        if words in line:
            return TapLine(f"{_place(function)}:{number}", line.strip())
    raise KeyError(f"{function.__qualname__} has no line with {words!r}")


@lru_cache(maxsize=256)
def _line(kind: "type[nn.Module]", name: str) -> TapLine:
    # A name can stand in brackets of its own: i, f = tap(self, "i", ...), tap(self, "f", ...).
    wanted = re.compile(rf'tap\(self, "{re.escape(name)}"')
    for base in kind.__mro__:
        try:
            lines, first = inspect.getsourcelines(base)
        except (OSError, TypeError):  # built in
            continue
        for number, line in enumerate(lines, first):
            if wanted.search(line):
                return TapLine(f"{_place(base)}:{number}", line.strip())
    raise KeyError(f"{kind.__name__} taps no {name!r}")


def _place(what: Any) -> str:
    """The file of a function or class, from the top of the program."""
    path = Path(inspect.getsourcefile(inspect.unwrap(what)) or "?").resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
