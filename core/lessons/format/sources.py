"""From "core.nn.masks:causal" to the function or class itself, for its source."""

import importlib
from collections.abc import Callable
from functools import reduce
from typing import Any, cast


def find(place: str) -> Callable[..., Any]:
    """The function or class at a place.

    Raises:
        LookupError: if there is none.
    """
    module, _, name = place.partition(":")
    try:
        found: Any = reduce(getattr, name.split("."), importlib.import_module(module))
    except (ImportError, AttributeError):
        raise LookupError(f"There is no {place!r}.") from None
    return cast(Callable[..., Any], found)
