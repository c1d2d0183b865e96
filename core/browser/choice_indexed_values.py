"""Arrays indexed by choices of the page, from which the browser selects the part that a picture shows.

    ui.matrix(ui.select_by_choice(record.weights, "layer", "head"), selected=(ui.choice_ref("query"), 0), …)

sends the weights of all heads once. The choices of the page then select the weights in the picture, without the server.
`assets/widgets/drawing/linked.js` is the browser's half.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


@dataclass(frozen=True)
class ChoiceRef:
    """The current value of a choice."""

    name: str  # of the choice, in the address
    none_value: object = None  # a value that means "nothing chosen"; then `fallback` is used
    fallback: object = None
    range: str = ""  # a digest of the choice's range; the browser waits until its choice has this range

    @property
    def ranges(self) -> dict[str, str]:
        """Return the ranges of the choices that it depends on, by name."""
        return {self.name: self.range}

    def to_message(self) -> dict[str, object]:
        return {"chosen$": self.name, "unless": self.none_value, "or": self.fallback}


@dataclass(frozen=True)
class ByChoice:
    """Values for each combination of some choices."""

    values: Any  # an array whose leading axes are the choices, or nested lists
    names: tuple[str, ...]  # of the choices, in the address
    ranges: Mapping[str, str] = field(default_factory=dict)  # of the choices, as in `ChoiceRef`

    def to_message(self) -> dict[str, object]:
        values = self.values.tolist() if isinstance(self.values, np.ndarray) else self.values
        return {"along$": self.names, "values": values}

    def value_at(self, place: Mapping[str, int]) -> Any:
        """Return the value at some indices, given by name of the choice."""
        found = self.values
        for name in self.names:
            found = found[place[name]]
        return found

    @property
    def sizes(self) -> dict[str, int]:
        """Return the number of options of each choice."""
        sizes, found = {}, self.values
        for name in self.names:
            sizes[name], found = len(found), found[0]
        return sizes


@dataclass(frozen=True)
class BrowserComputedValue:
    """A value that the browser recomputes for the current choices, with a model that it runs.

    See `core.ui.exhibit.browser_computation`.
    """

    computation: str  # the name of the computation
    part: str  # the part of its result
    server_value: Any  # the server's value for the choices at that time; it may depend on further choices
    ranges: Mapping[str, str]  # of the choices that it depends on, as in `ChoiceRef`
    filter_call: tuple[object, ...] = ()  # a filter for sentences and its arguments, which format the value
    section_names: tuple[str, ...] = ()  # all possible values, if it names a sentence

    def to_message(self) -> dict[str, object]:
        return {"computed$": self.part, "by": self.computation, "shown": self.filter_call, "or": self.server_value}


# A value, or its dependence on the choices of the page.
Linkable: TypeAlias = T | ByChoice | ChoiceRef | BrowserComputedValue


def value_at_first_option(value: Linkable[T]) -> T:
    """Return a value at the first option of its choices; a value that doesn't depend on choices is unchanged."""
    found: Any = value.value_at(dict.fromkeys(value.names, 0)) if isinstance(value, ByChoice) else value
    return found


def map_choices(make: Callable[..., object], *given: object) -> Any:
    """Return `make(*given)` for each combination of the choices that the arguments depend on; a single call if none."""
    sizes: dict[str, int] = {}
    for one in given:
        sizes |= one.sizes if isinstance(one, ByChoice) else {}
    names = tuple(sizes)

    def made(left: tuple[str, ...], parts: list[_Part]) -> object:
        if not left:
            return make(*(values for values, _ in parts))
        return [made(left[1:], [_at(part, left[0], i) for part in parts]) for i in range(sizes[left[0]])]

    parts = [(one.values, one.names) if isinstance(one, ByChoice) else (one, ()) for one in given]
    ranges = {name: text for one in given if isinstance(one, ByChoice) for name, text in one.ranges.items()}
    return ByChoice(made(names, parts), names, ranges) if names else made((), parts)


_Part = tuple[Any, tuple[str, ...]]  # values, and the choices that they depend on


def _at(part: _Part, name: str, i: int) -> _Part:
    """Return the values at one option of a choice."""
    values, names = part
    if name not in names:
        return part
    if names[0] == name:
        return values[i], names[1:]
    return [_at((one, names[1:]), name, i)[0] for one in values], tuple(one for one in names if one != name)


def pad_stack(value: Any) -> Any:
    """Stack the arrays of all options to a single array along the choices; shorter ones are padded with zeros.

    An array that doesn't depend on choices is unchanged.
    """
    lengths = map_choices(len, value)
    if not isinstance(lengths, ByChoice):
        return value
    longest = int(np.max(lengths.values))

    def fill(one: NDArray[np.generic]) -> NDArray[np.generic]:
        return np.concatenate([one, np.zeros((longest - len(one), *one.shape[1:]), one.dtype)])

    return replace(value, values=np.array(map_choices(fill, value).values))
