"""From JSON values to a config, each value checked against the type of its field."""

import math
import types
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def from_plain(cls: type, values: object, where: str = "") -> Any:
    """An object of a frozen config class from plain values, configs within configs too.

    Args:
        cls: a dataclass whose fields are int, float, str, bool, None, tuples of these, or dataclasses.
        values: name -> value.
        where: put before the names in messages.

    Raises:
        ValueError: if a field is unknown or missing, or its value is of another type or not allowed.
    """
    if not isinstance(values, dict):
        raise ValueError(f"{where or 'the config'} must be an object of named values, not {values!r:.40}")
    types_of = get_type_hints(cls)
    hints = {field.name: types_of[field.name] for field in fields(cls)}
    if unknown := sorted(str(name) for name in values if name not in hints):
        raise ValueError(f"there is no field {where}{unknown[0][:40]}; there are {', '.join(hints)}")
    plain = {name: _value(hints[name], value, f"{where}{name}") for name, value in values.items()}
    try:
        return cls(**plain)
    except TypeError as error:
        missing = [field.name for field in fields(cls) if field.name not in plain]
        raise ValueError(f"{where}{', '.join(missing)}: not all of these may be missing") from error


def _value(kind: Any, value: object, name: str) -> Any:
    if get_origin(kind) in (Union, types.UnionType):
        options = get_args(kind)
        if value is None and type(None) in options:
            return None
        if any(get_origin(option) is Literal and value in get_args(option) for option in options):
            return value
        return _value(next(option for option in options if option is not type(None)), value, name)
    if get_origin(kind) is tuple and isinstance(value, list | tuple):
        return tuple(_value(get_args(kind)[0], one, name) for one in value)
    if is_dataclass(kind) and isinstance(kind, type):
        return value if isinstance(value, kind) else from_plain(kind, value, f"{name}.")
    if kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53:
        return float(value)
    if kind is float and isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name}={value} should be a finite number")
    if not isinstance(kind, type) or not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        expected = {int: "a whole number", float: "a number", str: "a word", bool: "true or false"}.get(kind, "a list")
        raise ValueError(f"{name}={value!r:.40} should be {expected}")
    return value
