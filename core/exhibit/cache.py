"""Caching of loaders and results: keys by content, limits, and read-only results and models.

Streamlit hashes a large array from a random sample of it, so two arrays that differ in one cell can share an entry.
Cached functions therefore take short keys (a content digest, a name, numbers), never arrays or tensors.

Use `memoize` for results that depend only on such a key, and `st.cache_data` for results that go stale with time.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import nn

# Limits with reasons: a shipped model takes 1 to 10 MB, a trace of 64 tokens about 2 MB; a class of sixty looks at a
# few models and at about one text each. For a large model both are a hundred times as large, so bytes are limited too.
MAX_MODELS = 8
MAX_TRACES = 128
MAX_FIGURES = 256
MAX_BYTES = 200_000_000  # of the results of one function: two traces of a GPT-2 with 128 tokens
MAX_MODEL_BYTES = 1_000_000_000  # of all models: a GPT-2 and a BERT-base; a third one evicts the oldest

P = ParamSpec("P")
R = TypeVar("R")
_MISSING = object()
_PLAIN = (bool, int, float, str, bytes, type(None))


class _Entry:
    """One result; a caller that asks for it while it is being computed waits for it."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.value: Any = _MISSING
        self.n_byte = 0


def memoize(
    max_entries: int, *, max_bytes: int = MAX_BYTES, n_byte: Callable[[Any], int] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Cache the results of a pure function for all sessions; the least recently used one is evicted first.

    All sessions share one result, whose arrays are made read-only. Streamlit's own caches inspect the signature, hash
    every argument and, for data, unpickle a copy at each call. That takes some tenths of a millisecond, at each of
    sixty reruns a second. Together the results take at most `max_bytes`; `n_byte` returns the size of one, which is
    otherwise the size of its arrays.
    """

    def make(function: Callable[P, R]) -> Callable[P, R]:
        entries: OrderedDict[object, _Entry] = OrderedDict()
        lock, total = Lock(), 0  # bytes of all entries

        @wraps(function)
        def ask(*args: P.args, **kwargs: P.kwargs) -> R:
            nonlocal total
            key = (args, tuple(sorted(kwargs.items())))
            with lock:
                entry = entries.setdefault(key, _Entry())
                entries.move_to_end(key)
                if len(entries) > max_entries:
                    total -= entries.popitem(last=False)[1].n_byte
            if entry.value is _MISSING:
                with entry.lock:
                    if entry.value is _MISSING:  # a call that raises an error is tried again next time
                        made = _read_only(function(*args, **kwargs))
                        entry.n_byte = (n_byte or count_array_bytes)(made)
                        entry.value = made
                        with lock:
                            if entries.get(key) is entry:  # it hasn't been evicted meanwhile
                                total += entry.n_byte
                                total -= _make_room(entries, entry, total - max_bytes)
            value: R = entry.value
            return value

        return ask

    return make


def _make_room(entries: "OrderedDict[object, _Entry]", newest: _Entry, n_byte: int) -> int:
    """Evict the least recently used results, but not the newest, until n_byte bytes are free; returns how many are."""
    freed = 0
    if n_byte <= 0:  # going through all keys hashes them, and the inputs of exhibits are long
        return freed
    for key in [key for key, entry in entries.items() if entry is not newest and entry.n_byte]:
        if freed >= n_byte:
            break
        freed += entries.pop(key).n_byte
    return freed


def _arrays(value: object) -> Iterator[NDArray[np.generic]]:
    """Yield the arrays of a result: itself, or those in a record, a table or a sequence."""
    if isinstance(value, np.ndarray):
        yield value
        return
    parts: Iterable[object] = ()
    if is_dataclass(value) and not isinstance(value, type):
        parts = (getattr(value, field.name) for field in fields(value))
    elif isinstance(value, Mapping):
        parts = value.values()
    elif isinstance(value, list | tuple) and value and not isinstance(value[0], str | int | float):
        parts = value
    for part in parts:
        yield from _arrays(part)


def count_array_bytes(value: object) -> int:
    """Return the bytes of a result's arrays; the rest of it is small in comparison."""
    return sum(int(array.nbytes) for array in _arrays(value))


def _read_only(value: R) -> R:
    """Make the arrays of a result read-only."""
    for array in _arrays(value):
        array.flags.writeable = False
    return value


def content_key(*parts: str | bytes | int | float | bool | None) -> str:
    """Return a digest of plain values; equal parts give equal keys, and (1, "1") differs from ("1", 1).

    Raises TypeError for anything that is not a plain value.
    """
    digest = hashlib.sha256()
    for part in parts:
        if not isinstance(part, str | bytes | int | float | None):
            raise TypeError(f"a cache key takes plain values, not {type(part).__name__}")
        kind = next(kind for kind in _PLAIN if isinstance(part, kind))  # not its subclass
        data = part if isinstance(part, bytes) else repr(part).encode("utf-8", "backslashreplace")
        digest.update(f"{kind.__name__} {len(data)} ".encode() + data)
    return digest.hexdigest()


def freeze_model(model: "nn.Module") -> "nn.Module":
    """Prepare a model for sharing between sessions: evaluation mode, no gradients."""
    return model.eval().requires_grad_(False)
