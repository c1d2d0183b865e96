"""The line of source that made a tensor: found in the running program by the name under which the tensor is tapped."""

import inspect
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import nn

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class TapLine:
    """Where a tensor is made.

    Attributes:
        place: file and line, "core/nn/attention.py:165".
        text: the line itself.
    """

    place: str
    text: str


def tap_line(model: "nn.Module", tensor: str) -> TapLine:
    """The line `tap(self, "<name>", ...)` behind a tensor of a model.

    Args:
        model: the model.
        tensor: as tapped: the path of the module and the name, "blocks.0.attn.weights".

    Raises:
        KeyError: if there is no such module, or none of its classes taps that name.
    """
    path, _, name = tensor.rpartition(".")
    try:
        module = model.get_submodule(path)
    except AttributeError as error:
        raise KeyError(f"the model has no module {path!r}") from error
    kind: Any = type(module)
    return _line(kind, name)


@lru_cache(maxsize=256)
def _line(kind: Any, name: str) -> TapLine:
    # A name can stand in brackets of its own: i, f = tap(self, "i", ...), tap(self, "f", ...).
    wanted = re.compile(rf'tap\(self, "{re.escape(name)}"')
    for one in kind.__mro__:
        try:
            lines, first = inspect.getsourcelines(one)
        except (OSError, TypeError):  # built in
            continue
        for number, line in enumerate(lines, first):
            if wanted.search(line):
                path = Path(inspect.getsourcefile(one) or "?").resolve()
                place = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
                return TapLine(f"{place}:{number}", line.strip())
    raise KeyError(f"{kind.__name__} taps no {name!r}")
