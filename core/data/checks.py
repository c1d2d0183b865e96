"""Checks of a caller's arguments, made at once so that the message explains the mistake.

Every message names the argument, the value that was passed and what is expected. A value of the wrong type raises
`TypeError`, a value that is out of range `ValueError`. For tensors see `core.nn.checks`.
"""

import operator
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)


def describe_value(value: object) -> str:
    """Describe a value for a message: "a list", "the text 'abc'", "a torch tensor of int64, shape (2, 3)"."""
    if value is None or isinstance(value, bool | int | float | np.generic):
        return f"{value!r:.30}"
    if isinstance(value, str):
        return LABELS("value_text", value=repr(value))
    kind = type(value)
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        about = {"dtype": str(value.dtype).removeprefix("torch."), "shape": tuple(value.shape)}
        match kind.__module__.split(".")[0]:
            case "torch":
                return LABELS("torch_tensor", **about)
            case "numpy":
                return LABELS("numpy_array", **about)
        return LABELS("other_array", kind=kind.__name__, **about)
    return LABELS("kind_with_vowel" if kind.__name__[0] in "aeioAEIO" else "kind", kind=kind.__name__)


def check_whole(name: str, value: object, least: int | None = None) -> int:
    """Return a whole number as an int, NumPy's and torch's too; bools are refused. Raises ValueError below `least`."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(LABELS("whole", name=name, given=describe_value(value))) from None
    if least is not None and number < least:
        raise ValueError(LABELS("least", name=name, number=number, least=least))
    return number


def check_float(name: str, value: object) -> float:
    """Return a number as a float; infinity and nan are allowed."""
    if isinstance(value, str | bytes | bool) or getattr(value, "ndim", False) or not hasattr(value, "__float__"):
        raise TypeError(LABELS("number", name=name, given=describe_value(value)))
    return float(value)


def check_text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(LABELS("text", name=name, given=describe_value(value)))
    return value


def check_path_type(name: str, value: object) -> Path:
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise TypeError(LABELS("path", name=name, given=describe_value(value)))
    return Path(os.fspath(value))


def token_ids_to_int_list(name: str, value: object) -> list[int]:
    """Return the token ids of one text as plain ints, from a list, an array or a tensor (T,).

    Raises TypeError for anything else, such as a text, and ValueError for entries that aren't whole numbers.
    """
    if isinstance(value, str):
        raise TypeError(LABELS("token_ids", name=name, given=describe_value(value)))
    if getattr(value, "ndim", 1) != 1 or not isinstance(value, Iterable) or isinstance(value, bytes | dict):
        raise TypeError(LABELS("token_row", name=name, given=describe_value(value)))
    plain = value.tolist() if hasattr(value, "tolist") else list(value)
    if all(type(token) is int for token in plain):
        return plain
    odd = [token for token in plain if isinstance(token, bool) or not hasattr(token, "__index__")]
    if odd:
        raise ValueError(LABELS("whole_each", name=name, given=describe_value(odd[0])))
    return [check_whole(LABELS("each", name=name), token) for token in plain]
