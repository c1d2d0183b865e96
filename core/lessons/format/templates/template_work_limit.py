"""The work of one template of a lesson, counted while it runs, so that costly or large operations are refused."""

from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from jinja2.sandbox import SecurityError

MAX_WORK = 2_000_000  # of one template: parts that are evaluated, letters and items that are read
MAX_SIZE = 10_000  # letters and items of a value that a template makes, including nested ones
MAX_NUMBERS = 5_000_000  # of an array that is computed from two arrays
MAX_BITS = 2_000  # of a whole number
_PER_UNIT = 100  # letters, or an array's numbers, that take about as long as one item
_CALL = 1_000  # an exhibit's own function may compute
T = TypeVar("T")


@dataclass
class _Meter:
    """The work that a template may still do."""

    left: int = MAX_WORK


_METER: ContextVar[_Meter] = ContextVar("meter")


@contextmanager
def meter_template_work() -> Iterator[None]:
    """Count the work of one template inside this context."""
    token = _METER.set(_Meter())
    try:
        yield
    finally:
        _METER.reset(token)


def spend_work(work: int) -> None:
    """Count some work. Raises SecurityError if the template does too much."""
    meter = _METER.get()
    meter.left -= work
    if meter.left < 0:
        raise SecurityError(f"it takes more than {MAX_WORK:,} steps")


def meter_template_loop(values: Iterable[T], n_part: int) -> Iterator[T]:
    """Yield the values of a loop, counting the `n_part` parts of its body each time."""
    for value in values:
        spend_work(1 + n_part)
        yield value


def _value_size(value: object) -> int:
    """Count the letters and items of a value, including nested ones; stops at one more than `MAX_SIZE`.

    A list that is contained in another twice counts twice, because it is written twice.
    """
    found, waiting = 0, [value]
    while waiting and found <= MAX_SIZE:
        one = waiting.pop()
        found += len(one) if isinstance(one, str | bytes | range) else 1
        if isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()][:MAX_SIZE]
        elif isinstance(one, list | tuple | Set):
            waiting += list(one)[:MAX_SIZE]
    return min(found, MAX_SIZE + 1)


def check_template_value_size(value: T) -> T:
    """Count and return a value that a template has made. Raises SecurityError if it is too large."""
    spend_work(n := _value_size(value))
    if n > MAX_SIZE or (isinstance(value, int) and value.bit_length() > MAX_BITS):
        raise SecurityError(f"it makes more than {MAX_SIZE:,} letters or items")
    return value


def spend_work_on_values(*values: object) -> None:
    """Count the work of reading some values."""
    for value in values:
        if isinstance(value, np.ndarray):
            spend_work(1 + value.size // _PER_UNIT)
        elif isinstance(value, str | bytes):
            spend_work(1 + len(value) // _PER_UNIT)
        else:
            spend_work(_value_size(value))


def check_template_filter_arguments(*values: object) -> None:
    """Check that a filter's arguments are short texts and small numbers. Raises SecurityError for others."""
    for value in values:
        if isinstance(value, int | float) and abs(value) > 1_000:
            raise SecurityError("an argument of a filter is at most 1,000")
        if _value_size(value) > 1_000:
            raise SecurityError("an argument of a filter has at most 1,000 letters")


def check_template_call(owner: object, listed: tuple[object, ...], named: Mapping[str, object]) -> None:
    """Count a call. Raises SecurityError if it could write into a shared array."""
    given = (*listed, *named.values())
    if isinstance(owner, np.ndarray | np.generic):
        if any(isinstance(one, np.ndarray) for one in given) or not named.keys() <= {"axis", "initial", "keepdims"}:
            raise SecurityError("a method of an array takes axis, initial and keepdims alone")
        return spend_work_on_values(owner)
    spend_work_on_values(*given)
    return spend_work(1 if owner is None or isinstance(owner, str | bytes | Mapping) else _CALL)


def check_operand_sizes(left: object, right: object) -> None:
    """Check two values before they are added or compared. Raises SecurityError if the result would be too large."""
    spend_work_on_values(left, right)
    if any(isinstance(one, np.ndarray) for one in (left, right)):
        arrays = [np.asarray(one) for one in (left, right)]
        if int(np.prod(np.broadcast_shapes(*(one.shape for one in arrays)), dtype=object)) > MAX_NUMBERS:
            raise SecurityError(f"it makes an array of more than {MAX_NUMBERS:,} numbers")


def check_binop(operator: str, left: Any, right: Any) -> None:
    """Check a calculation. Raises SecurityError if it isn't one of numbers, or its result would be too large."""
    check_operand_sizes(left, right)
    pair = (left, right)
    if any(isinstance(one, np.ndarray) and one.dtype.kind not in "biufc" for one in pair):
        raise SecurityError("arrays are calculated with where they hold numbers")
    if operator != "+" and any(isinstance(one, str | bytes | list | tuple) for one in pair):
        raise SecurityError(f"a text or a list takes no {operator}")
    if operator == "+" and sum(_value_size(one) for one in pair) > MAX_SIZE:
        raise SecurityError(f"it makes more than {MAX_SIZE:,} letters or items")
    if all(isinstance(one, int) for one in pair):
        bits = [one.bit_length() for one in pair]
        if (operator == "*" and sum(bits) > MAX_BITS) or (operator == "**" and bits[0] * abs(right) > MAX_BITS):
            raise SecurityError(f"it makes a number of more than {MAX_BITS:,} bits")


def check_indexed_result_size(value: object, index: object) -> None:
    """Check an index before it is used on an array. Raises SecurityError if it takes too many items."""
    spend_work(1)
    if isinstance(value, np.ndarray):
        places = [np.size(one) for one in (index if isinstance(index, tuple) else (index,))]
        is_mask = isinstance(index, np.ndarray) and index.dtype == bool
        if not is_mask and max(places, default=1) > 1 and max(places) * value.size > MAX_NUMBERS * max(len(value), 1):
            raise SecurityError(f"it makes an array of more than {MAX_NUMBERS:,} numbers")
