"""One part of a model or of its training: its name, its purpose, its paper, and the fields that it sets in a recipe.

A recipe is treated as a flat table: path -> value, such as "model.block.norm" -> "rms".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

Value = bool | int | float | str
Values = Mapping[str, Any]  # of parts, by name, and of the sizes that they depend on
Sets = Callable[[Any, Values], Mapping[str, Any]]  # (value, sizes of the model) -> path -> value

ATTENTION_GROUP, EMBEDDING_GROUP, BLOCK_GROUP, FEED_FORWARD_GROUP = (
    LABELS["group.attention"],
    LABELS["group.embedding"],
    LABELS["group.block"],
    LABELS["group.feed_forward"],
)
LEARNING_RATE_GROUP, REGULARIZATION_GROUP = LABELS["group.learning_rate"], LABELS["group.regularization"]
GROUPS = (ATTENTION_GROUP, EMBEDDING_GROUP, BLOCK_GROUP, FEED_FORWARD_GROUP, LEARNING_RATE_GROUP, REGULARIZATION_GROUP)
ALL_KINDS = ("gpt", "bert", "transformer", "t5", "seq2seq", "rnn")
WITH_BLOCKS = ("gpt", "bert")
YES_NO = {True: LABELS["yes"], False: LABELS["no"]}


@dataclass(frozen=True, kw_only=True)
class RecipePart:
    """A part of a model or of its training."""

    name: str  # in the address
    label: str
    group: str
    sentence: str  # its purpose, shown as help
    paper: str  # the source that proposed it
    paths: tuple[str, ...]
    plain: Value  # the value if a recipe doesn't mention it; by_kind: for one kind of model, where that differs
    typical: Value  # the value for which its price is shown while it is plain
    # sets: what it writes into a recipe; paths: where; reads: (value at the first path, sizes) -> a number
    sets: Sets
    reads: Callable[[Any, Values], object] = lambda raw, sizes: raw
    kinds: tuple[str, ...] = ("gpt",)  # of models that have it
    # value -> label; None: a number from low to high; none: the label of 0 (or nothing); reason: why there is an upper
    # limit, as in `core.exhibit.number_input`
    options: Mapping[Any, str] | None = None
    low: float = 0
    high: float = 1
    step: float = 1
    reason: str = ""
    none: str = ""
    by_kind: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    when: Callable[[Values], bool] = lambda values: True  # whether it can be chosen, given the values of the others

    def plain_of(self, kind: str) -> Value:
        """Return the value in a recipe that doesn't mention it, for this kind of model."""
        return self.by_kind.get(kind, self.plain)

    def applies(self, values: Values) -> bool:
        """Return whether it can be chosen, given these values of the others."""
        return values["kind"] in self.kinds and self.when(values)

    def in_words(self, value: object) -> str:
        """Return the label of a value on screen."""
        if self.options is not None:
            return self.options.get(value, str(value))
        if value is None or (self.none and not value):
            return self.none or "–"
        if not isinstance(value, int | float):
            return str(value)
        return f"{value:,.0f}" if value == int(value) else f"{value:.4g}"

    def found_in(self, flat: Mapping[str, object], sizes: Values) -> str:
        """Return the label of its value in a recipe (path -> value)."""
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


def recipe_value_setter(path: str) -> Sets:
    """Set the path to the value itself."""
    return lambda value, _: {path: value}


def recipe_value_or_none_setter(path: str) -> Sets:
    """Set the path to the value, or to None if it is 0."""
    return lambda value, _: {path: value or None}


def recipe_lookup_setter(*paths: str, **rows: tuple[object, ...]) -> Sets:
    """Set these paths by a table: each value, as a word, has a row with an entry for each path."""
    return lambda value, _: dict(zip(paths, rows[str(value)], strict=True))


def part_value_condition(name: str, *those: object) -> Callable[[Values], bool]:
    """Make a condition that another part has one of these values."""
    return lambda values: values[name] in those


def has_feed_forward(values: Values) -> bool:
    """Return whether there is a feed-forward part."""
    return bool(values["feed_forward"])
