"""Two vectors to drag: the dot product is not the cosine, and neither is a distance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import picked
from core.rooms.embeddings.compute.embeddings import Pair, compare, pair_table
from core.rooms.embeddings.vectors_widget import LIMIT, Vector, as_vectors, two_vectors

START: tuple[Vector, Vector] = ((1.0, 0.0), (3.0, 3.0))
EXAMPLES: tuple[tuple[str, Vector, Vector], ...] = (
    ("same", (1.0, 0.0), (1.0, 0.0)),
    ("longer, and off", (1.0, 0.0), (3.0, 3.0)),
    ("twice as long", (1.0, 0.0), (2.0, 0.0)),
    ("right angle", (2.0, 1.0), (-1.0, 2.0)),
    ("opposite", (2.0, 1.0), (-2.0, -1.0)),
)
CODE = (compare,)


def to_link(pair: tuple[Vector, Vector]) -> str:
    """Both as the address holds them: "1,0;3,3"."""
    return ";".join(f"{x:g},{y:g}" for x, y in pair)


def from_link(text: str) -> tuple[Vector, Vector]:
    """What `to_link` wrote. Raises ValueError in plain words."""
    try:
        found = as_vectors([[float(v) for v in one.split(",")] for one in text[:60].split(";")])
    except ValueError:
        found = None
    if found is None:
        raise ValueError(f"The link holds no two vectors with numbers from −{LIMIT:g} to {LIMIT:g}.")
    return found


def _dragged(pick: Any, _: Any) -> str | None:
    found = as_vectors([pick.get("q"), pick.get("k")]) if isinstance(pick, Mapping) else None
    return None if found is None else to_link(found)


class Inputs(Base):
    """Where both point."""

    vectors: str = picked("embeddings.vectors", to_link(START), text=_dragged, check=lambda text, _: from_link(text))


@dataclass(frozen=True)
class Result:
    """Two vectors, and how they compare."""

    q: Vector
    k: Vector
    pair: Pair

    @property
    def formula(self) -> str:
        """Dot product and cosine in numbers."""
        q, k, pair = self.q, self.k, self.pair
        products = rf"{q[0]:g} \cdot {_bracketed(k[0])} + {_bracketed(q[1])} \cdot {_bracketed(k[1])} = {pair.dot:.2f}"
        if pair.lengths[0] * pair.lengths[1] == 0:
            return products
        fraction = rf"\frac{{{pair.dot:.2f}}}{{{pair.lengths[0]:.3f} \cdot {pair.lengths[1]:.3f}}}"
        return rf"{products} \qquad {fraction} = {pair.cosine:.3f}"

    def table(self) -> dict[str, list[Any]]:
        """One line for the two, and for each example."""
        return pair_table([("yours", self.q, self.k), *EXAMPLES])


def _bracketed(value: float) -> str:
    return f"({value:g})" if value < 0 else f"{value:g}"


def compute(inputs: Inputs) -> Result:
    """The dot product grows with the lengths; the cosine is what is left of it when both are divided out."""
    q, k = from_link(inputs.vectors)
    return Result(q, k, compare(q, k))


def draw(result: Result, inputs: Inputs) -> None:
    """The widget."""
    key, told = ui.picks.key("embeddings.vectors", ""), ui.words("takeaway")
    two_vectors(result.q, result.k, start=START, examples=EXAMPLES, key=key, label="Drag a tip", takeaway=told)
