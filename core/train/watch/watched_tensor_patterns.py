"""Queries for tensors to watch, by name: `blocks.*.attn.weights, grad:blocks.0.mlp.*, update:*.w_q`.

    NAME            an activation of this name on the probe sentence, or a parameter
    grad:NAME       the gradient of the loss with respect to it
    update:NAME     the change of a parameter in the last step

`*` matches any characters, including dots, `?` one character, `[01]` one of these. Several patterns are separated by
commas. A layer's weights have the name of the layer, `blocks.0.attn.w_q`; its biases are `blocks.0.attn.w_q.bias`.

Source: the patterns are those of Python's `fnmatch`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Literal

from core.data.checks import check_text as checked_text
from core.data.localization.labels import module_labels
from core.data.printable import printable_text

LABELS = module_labels(__name__)


MOST_CHARACTERS = 200
MOST_PATTERNS = 8
MOST_TENSORS = 48  # more lines or maps than anyone can read
_TensorKind = Literal["", "grad", "update"]
_OF = ("grad", "update")
_ALLOWED = re.compile(r"[A-Za-z0-9_.*?\[\]!-]+")


class WatchQueryRefused(ValueError):
    """These tensors can't be watched; the message says why."""


@dataclass(frozen=True)
class WatchableTensors:
    """The tensors of a model that can be watched: shapes by name, in the order of the computation."""

    activations: Mapping[str, tuple[int, ...]]  # of the probe sentence, without a batch dimension
    parameters: Mapping[str, tuple[int, ...]]  # a layer's weights by the name of the layer

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of the tensor with this name. Raises KeyError."""
        return self.activations[name] if name in self.activations else self.parameters[name]

    def names(self, of: _TensorKind = "") -> tuple[str, ...]:
        """Return the names that can follow this prefix: only parameters have an update."""
        return (*(() if of == "update" else self.activations), *self.parameters)


@dataclass(frozen=True)
class _Pattern:
    """One pattern of a query: a pattern of names, for the tensors themselves, their gradients or their updates."""

    of: _TensorKind
    name: str

    def __str__(self) -> str:
        return f"{self.of}:{self.name}" if self.of else self.name

    def fits(self, name: str) -> bool:
        """Return whether it matches this name; a layer's weights may also be named `….weight`."""
        return fnmatchcase(name, self.name) or fnmatchcase(f"{name}.weight", self.name)


@dataclass(frozen=True)
class WatchedTensor:
    """A tensor that is watched; `str` gives its full name."""

    of: _TensorKind
    name: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.of}:{self.name}" if self.of else self.name


def parse_tensor_query(query: str) -> tuple[_Pattern, ...]:
    """Parse the patterns of a query; an empty one has none. Raises WatchQueryRefused."""
    if len(checked_text("query", query)) > MOST_CHARACTERS:
        raise WatchQueryRefused(LABELS("too_long", n_character=len(query), most=MOST_CHARACTERS))
    parts = [part.strip() for part in query.split(",") if part.strip()]
    if len(parts) > MOST_PATTERNS:
        raise WatchQueryRefused(LABELS("too_many_patterns", n_pattern=len(parts), most=MOST_PATTERNS))
    return tuple(dict.fromkeys(_pattern(part) for part in parts))


def _pattern(part: str) -> _Pattern:
    of, colon, name = part.rpartition(":")
    of, name = of.strip(), name.strip()
    if colon and of not in _OF:
        raise WatchQueryRefused(LABELS("no_prefix", prefix=_shown(of)))
    if not _ALLOWED.fullmatch(name):
        raise WatchQueryRefused(LABELS("no_name", typed=_shown(part)))
    return _Pattern(of if colon else "", name)  # type: ignore[arg-type]  # it is one of them


def find_tensors_by_query(query: str, tensors: WatchableTensors) -> tuple[WatchedTensor, ...]:
    """Find the tensors that match a query, in its order.

    Raises WatchQueryRefused: if a pattern matches none, with the nearest names, or if there are too many.
    """
    found: dict[WatchedTensor, None] = {}
    for pattern in parse_tensor_query(query):
        some = _of_pattern(pattern, tensors)
        if not some:
            raise WatchQueryRefused(_nothing(pattern, tensors))
        found.update(dict.fromkeys(some))
    if len(found) > MOST_TENSORS:
        raise WatchQueryRefused(LABELS("too_many_tensors", n_tensor=len(found), most=MOST_TENSORS))
    return tuple(found)


def match_available_tensors(query: str, tensors: WatchableTensors) -> tuple[WatchedTensor, ...]:
    """Find the same without errors, for a running run: missing tensors and those beyond the limit are left out."""
    try:
        patterns = parse_tensor_query(query)
    except WatchQueryRefused:
        return ()
    found = dict.fromkeys(one for pattern in patterns for one in _of_pattern(pattern, tensors))
    return tuple(found)[:MOST_TENSORS]


def _of_pattern(pattern: _Pattern, tensors: WatchableTensors) -> list[WatchedTensor]:
    names: Iterable[str] = tensors.names(pattern.of)
    return [WatchedTensor(pattern.of, name, tensors.shape(name)) for name in names if pattern.fits(name)]


def _nothing(pattern: _Pattern, tensors: WatchableTensors) -> str:
    if pattern.of == "update" and any(pattern.fits(name) for name in tensors.activations):
        return LABELS("no_update", name=pattern.name)
    near = get_close_matches(pattern.name, tensors.names(pattern.of), n=3, cutoff=0.4)
    beginning = f"{pattern.of}:" if pattern.of else ""
    names = ", ".join(beginning + name for name in near)
    return LABELS("unknown_but_near" if near else "unknown", pattern=pattern, near=names)


def _shown(text: str) -> str:
    return printable_text(text)[:40]
