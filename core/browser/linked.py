"""Arrays indexed by choices of the page: the browser picks what a picture shows out of what it already has.

    ui.matrix(ui.along(record.weights, "layer", "head"), selected=(ui.chosen("query"), 0), …)

sends the weights of all heads once; which of them stand in the picture follows the choices of the page, without the
server. `assets/widgets/drawing/linked.js` is the other half.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


@dataclass(frozen=True)
class Chosen:
    """The current value of a choice."""

    name: str  # in the address
    unless: object = None  # a value that stands for none: then `instead` is meant
    instead: object = None
    range: str = ""  # of the choice, in short: the browser waits until it knows the choice as of this range

    @property
    def ranges(self) -> dict[str, str]:
        """The ranges of the choices that it depends on, by name."""
        return {self.name: self.range}

    def told(self) -> dict[str, object]:
        return {"chosen$": self.name, "unless": self.unless, "or": self.instead}


@dataclass(frozen=True)
class Along:
    """Values, one for each place of some choices."""

    values: Any  # an array whose leading axes run along the choices, or nested lists
    names: tuple[str, ...]  # of the choices, in the address
    ranges: Mapping[str, str] = field(default_factory=dict)  # of the choices, as of `Chosen`

    def told(self) -> dict[str, object]:
        values = self.values.tolist() if isinstance(self.values, np.ndarray) else self.values
        return {"along$": self.names, "values": values}

    def at(self, place: Mapping[str, int]) -> Any:
        """The value at a place: name -> index."""
        found = self.values
        for name in self.names:
            found = found[place[name]]
        return found

    @property
    def sizes(self) -> dict[str, int]:
        """The number of places of each choice."""
        sizes, found = {}, self.values
        for name in self.names:
            sizes[name], found = len(found), found[0]
        return sizes


@dataclass(frozen=True)
class Computed:
    """A value that the browser computes anew for what is chosen, with a model that it runs.

    See `core.ui.exhibit.computed`.
    """

    by: str  # the computation
    part: str  # of what that gives
    instead: Any  # as the server computed it, for the choices as they stood; it may run along further ones
    ranges: Mapping[str, str]  # of the choices that it depends on, as of `Chosen`
    shown: tuple[object, ...] = ()  # a filter of sentences and its arguments, by which it is printed
    among: tuple[str, ...] = ()  # all that it may be, where it names a sentence

    def told(self) -> dict[str, object]:
        return {"computed$": self.part, "by": self.by, "shown": self.shown, "or": self.instead}


# A value, or how it follows the choices of the page.
Linked: TypeAlias = T | Along | Chosen | Computed


def first(value: Linked[T]) -> T:
    """A value at the first place of its choices; one that does not depend on any as it is."""
    found: Any = value.at(dict.fromkeys(value.names, 0)) if isinstance(value, Along) else value
    return found


def over(make: Callable[..., object], *given: object) -> Any:
    """`make(*given)` at each place of the choices that these depend on; called once where they depend on none."""
    sizes: dict[str, int] = {}
    for one in given:
        sizes |= one.sizes if isinstance(one, Along) else {}
    names = tuple(sizes)

    def made(left: tuple[str, ...], parts: list[_Part]) -> object:
        if not left:
            return make(*(values for values, _ in parts))
        return [made(left[1:], [_at(part, left[0], i) for part in parts]) for i in range(sizes[left[0]])]

    parts = [(one.values, one.names) if isinstance(one, Along) else (one, ()) for one in given]
    ranges = {name: text for one in given if isinstance(one, Along) for name, text in one.ranges.items()}
    return Along(made(names, parts), names, ranges) if names else made((), parts)


_Part = tuple[Any, tuple[str, ...]]  # values, and the choices that they depend on


def _at(part: _Part, name: str, i: int) -> _Part:
    """Values at one place of one choice."""
    values, names = part
    if name not in names:
        return part
    if names[0] == name:
        return values[i], names[1:]
    return [_at((one, names[1:]), name, i)[0] for one in values], tuple(one for one in names if one != name)


def stacked(value: Any) -> Any:
    """Arrays, one for each place, as one array along the choices; behind a shorter one follow zeros.

    An array that depends on no choice stays as it is.
    """
    lengths = over(len, value)
    if not isinstance(lengths, Along):
        return value
    longest = int(np.max(lengths.values))

    def fill(one: NDArray[np.generic]) -> NDArray[np.generic]:
        return np.concatenate([one, np.zeros((longest - len(one), *one.shape[1:]), one.dtype)])

    return replace(value, values=np.array(over(fill, value).values))
