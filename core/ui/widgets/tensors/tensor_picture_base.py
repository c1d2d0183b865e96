"""The common basis of all pictures of tensors: records that can be drawn, and arrays that depend on choices."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, Literal, ParamSpec, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.browser.choice_indexed_values import BrowserComputedValue, ByChoice

ValueKind = Literal["probability", "signed", "value"]  # colors: 0 to 1, symmetric about 0, lowest to highest
P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)


class _MountablePicture(Protocol[R_co]):
    """A record that describes a picture."""

    def mount(self) -> R_co:
        """Draw the picture and return the person's selection."""


def picture_class_to_function(kind: Callable[P, _MountablePicture[R_co]]) -> Callable[P, R_co]:
    """Return a function that makes a picture from the record's fields and draws it: `matrix(weights, rows=…)`."""

    @wraps(kind, updated=())
    def draw(*args: P.args, **fields: P.kwargs) -> R_co:
        return kind(*args, **fields).mount()

    return draw


def unwrap_browser_value(values: object) -> Any:
    """Return the server's value of a value that the browser computes; others unchanged."""
    return values.server_value if isinstance(values, BrowserComputedValue) else values


def make_choice_indexed_like(values: object, array: NDArray[np.generic]) -> Any:
    """Return the array with the same dependence on choices as these values, by its leading axes."""
    if isinstance(values, BrowserComputedValue):
        return replace(values, server_value=array)
    return replace(values, values=array) if isinstance(values, ByChoice) and values.names else array


def color_limits(array: NDArray[np.generic], empty: NDArray[np.bool_], kind: ValueKind) -> tuple[float, float]:
    """Return the ends of the color scale."""
    if kind == "probability":
        return 0.0, 1.0
    shown = array[~empty]
    if shown.size == 0:
        return (-1.0, 1.0) if kind == "signed" else (0.0, 1.0)
    if kind == "signed":
        limit = float(np.abs(shown).max()) or 1.0
        return -limit, limit
    low, high = float(shown.min()), float(shown.max())
    return (low, high) if high > low else (low, low + 1.0)
