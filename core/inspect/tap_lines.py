"""The source line that computed a number, found in the running program by the tensor's name or by text in the line."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import nn

REPOSITORY_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class TapLine:
    """The location where a tensor is computed, "core/nn/attention.py:165", and the line itself."""

    place: str
    text: str


def find_tap_line(model: "nn.Module", tensor: str) -> TapLine:
    """Return the line `tap(self, "<name>", ...)` that computes a model's tensor, such as "blocks.0.attn.weights".

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
def find_source_line(function: Callable[..., object], words: str) -> TapLine:
    """Return the first line of a function or class that contains these words, for numbers that are not tapped.

    Raises KeyError if there is no such line.
    """
    lines, first = inspect.getsourcelines(function)
    for number, line in enumerate(lines, first):
        if words in line:
            return TapLine(f"{_place(function)}:{number}", line.strip())
    raise KeyError(f"{function.__qualname__} has no line with {words!r}")


@lru_cache(maxsize=256)
def _line(kind: "type[nn.Module]", name: str) -> TapLine:
    # A line can have several taps: i, f = tap(self, "i", ...), tap(self, "f", ...).
    wanted = re.compile(rf'tap\(self, "{re.escape(name)}"')
    for base in kind.__mro__:
        try:
            lines, first = inspect.getsourcelines(base)
        except (OSError, TypeError):  # a built-in
            continue
        for number, line in enumerate(lines, first):
            if wanted.search(line):
                return TapLine(f"{_place(base)}:{number}", line.strip())
    raise KeyError(f"{kind.__name__} taps no {name!r}")


def _place(what: Any) -> str:
    """Return the file of a function or class, relative to the repository's root."""
    path = Path(inspect.getsourcefile(inspect.unwrap(what)) or "?").resolve()
    return path.relative_to(REPOSITORY_ROOT).as_posix() if path.is_relative_to(REPOSITORY_ROOT) else path.name
