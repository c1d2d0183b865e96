"""JSON that anybody may have written, read so that it can hold nothing strange."""

import json
import math
from typing import Any

MOST_DIGITS = 16  # of a whole number
MOST_DEPTH = 20  # of objects and lists in one another


def parse(data: bytes) -> Any:
    """Return the value of a JSON text in UTF-8, with or without a byte order mark.

    The caller bounds the size before. Raises ValueError: it is no JSON; it has the same name twice in one object, a
    number that is not finite or has more than 16 digits, or half a character; or it is nested more than 20 deep.
    """
    try:
        value = json.loads(
            data.decode("utf-8-sig"), object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite,
            parse_int=_short,
        )  # fmt: skip
    except RecursionError:
        raise ValueError("nested too deeply") from None
    _check_depth(value, MOST_DEPTH)
    canonical(value)
    return value


def canonical(value: Any) -> bytes:
    """Return the one text of a JSON value: names in order, no spaces. Raises ValueError: it holds half a character."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _check_depth(value: Any, left: int) -> None:
    if isinstance(value, dict | list):
        if not left:
            raise ValueError("nested too deeply")
        for one in value.values() if isinstance(value, dict) else value:
            _check_depth(one, left - 1)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("the same name twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number that is not finite")
    return number


def _short(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError("a whole number with too many digits")
    return int(text)
