"""One part of a model or of its training: what it is called, what it does, who proposed it, what it sets in a recipe.

A recipe is looked at as a flat table: path -> value, such as "model.block.norm" -> "rms".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

Value = bool | int | float | str
Values = Mapping[str, Any]  # of parts, by name, and of the sizes that they go by
Sets = Callable[[Any, Values], Mapping[str, Any]]  # (value, sizes of the model) -> path -> value

READS, ORDERS, BLOCK, THINKS = "Attention", "Embeddings", "Norms and paths", "Feed-forward"
LEARNS, REGULAR = "Learning rate", "Regularization"
GROUPS = (READS, ORDERS, BLOCK, THINKS, LEARNS, REGULAR)
ALL_KINDS = ("gpt", "bert", "transformer", "t5", "seq2seq", "rnn")
WITH_BLOCKS = ("gpt", "bert")
YES_NO = {True: "yes", False: "no"}


@dataclass(frozen=True, kw_only=True)
class Part:
    """One of them."""

    name: str  # in the address
    label: str
    group: str
    sentence: str  # what it does, for who points at it
    paper: str  # who proposed it
    paths: tuple[str, ...]
    plain: Value  # what a recipe has that says nothing of it; by_kind: of one kind of model, where that differs
    typical: Value  # its price is told for this value as long as it is plain
    # what it writes into a recipe; paths: where; reads: (what stands at the first path, sizes) -> a number
    sets: Sets
    reads: Callable[[Any, Values], object] = lambda raw, sizes: raw
    kinds: tuple[str, ...] = ("gpt",)  # of models that have it
    # value -> words; None: a number within low and high, none what its 0 (or nothing) means in words, reason why there
    # is an upper limit, as in `core.exhibit.number`
    options: Mapping[Any, str] | None = None
    low: float = 0
    high: float = 1
    step: float = 1
    reason: str = ""
    none: str = ""
    by_kind: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    when: Callable[[Values], bool] = lambda values: True  # whether it can be chosen, by the values of the others

    def plain_of(self, kind: str) -> Value:
        """What a recipe of this kind of model has that says nothing of it."""
        return self.by_kind.get(kind, self.plain)

    def applies(self, values: Values) -> bool:
        """Whether it can be chosen, beside these values of the others."""
        return values["kind"] in self.kinds and self.when(values)

    def in_words(self, value: object) -> str:
        """A value as the screen names it."""
        if self.options is not None:
            return self.options.get(value, str(value))
        if value is None or (self.none and not value):
            return self.none or "–"
        if not isinstance(value, int | float):
            return str(value)
        return f"{value:,.0f}" if value == int(value) else f"{value:.4g}"

    def found_in(self, flat: Mapping[str, object], sizes: Values) -> str:
        """In words what it is in a recipe, path -> value."""
        at = {path: flat[path] for path in self.paths if path in flat}
        if not at:
            return "–"
        if self.options is None:
            return self.in_words(self.reads(at.get(self.paths[0]), sizes))
        for value, words in self.options.items():
            try:
                if dict(self.sets(value, sizes)) == at:
                    return words
            except ValueError:
                continue
        return " ".join(map(str, at.values()))


def as_it_is(path: str) -> Sets:
    """The value as it is."""
    return lambda value, _: {path: value}


def or_none(path: str) -> Sets:
    """0 stands for None."""
    return lambda value, _: {path: value or None}


def by_table(*paths: str, **rows: tuple[object, ...]) -> Sets:
    """What each value, as a word, writes to these paths."""
    return lambda value, _: dict(zip(paths, rows[str(value)], strict=True))


def when_is(name: str, *those: object) -> Callable[[Values], bool]:
    """Where another part has one of these values."""
    return lambda values: values[name] in those


def has_feed_forward(values: Values) -> bool:
    """Where there is a feed-forward."""
    return bool(values["feed_forward"])
