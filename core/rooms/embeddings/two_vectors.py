"""Two vectors to drag, showing that the dot product is not the cosine, and neither is a distance."""

import math
from collections.abc import Mapping, Sequence

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, selection_in_picture
from core.rooms.embeddings.compute.embeddings import VectorPair, compare_vectors, pair_table

LABELS = module_labels(__name__)

LIMIT = 5.0  # the picture shows -5 to 5 on both axes
Vector = tuple[float, float]
START: tuple[Vector, Vector] = ((1.0, 0.0), (3.0, 3.0))
EXAMPLES: tuple[tuple[str, Vector, Vector], ...] = (
    (LABELS["example.same"], (1.0, 0.0), (1.0, 0.0)),
    (LABELS["example.off"], (1.0, 0.0), (3.0, 3.0)),
    (LABELS["example.twice"], (1.0, 0.0), (2.0, 0.0)),
    (LABELS["example.right_angle"], (2.0, 1.0), (-1.0, 2.0)),
    (LABELS["example.opposite"], (2.0, 1.0), (-2.0, -1.0)),
)
CODE = (compare_vectors,)


def _as_vectors(given: object) -> tuple[Vector, Vector] | None:
    """Return two vectors from untrusted data (a browser, a link), or None if they don't fit the picture."""
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        return None
    found = [_as_vector(one) for one in given]
    return (found[0], found[1]) if found[0] is not None and found[1] is not None else None


def _as_vector(given: object) -> Vector | None:
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        return None
    if any(isinstance(v, bool) or not isinstance(v, int | float) for v in given):
        return None
    x, y = float(given[0]), float(given[1])
    return (x, y) if all(math.isfinite(v) and abs(v) <= LIMIT for v in (x, y)) else None


def format_link(pair: tuple[Vector, Vector]) -> str:
    """Return both vectors as in the address, such as "1,0;3,3"."""
    return ";".join(f"{x:g},{y:g}" for x, y in pair)


def parse_link(text: str) -> tuple[Vector, Vector]:
    """Parse the text of `format_link`.

    Raises:
        ValueError: if it doesn't contain two vectors that fit the picture.
    """
    try:
        found = _as_vectors([[float(v) for v in one.split(",")] for one in text[:60].split(";")])
    except ValueError:
        found = None
    if found is None:
        raise ValueError(LABELS("bad_link", limit=LIMIT))
    return found


def _dragged(pick: object, _: object) -> str | None:
    found = _as_vectors([pick.get("q"), pick.get("k")]) if isinstance(pick, Mapping) else None
    return None if found is None else format_link(found)


class Inputs(Base):
    vectors: str = selection_in_picture(
        "embeddings.vectors", format_link(START), text=_dragged, check=lambda text, _: parse_link(text)
    )


class TwoVectors(Result):
    """Two vectors and their comparison."""

    q: Vector
    k: Vector
    pair: VectorPair
    formula: str  # dot product and cosine in numbers

    def table(self) -> Table:
        """Return one row for the user's pair and one for each example."""
        return pair_table([(LABELS["yours"], self.q, self.k), *EXAMPLES])


def _bracketed(value: float) -> str:
    return f"({value:g})" if value < 0 else f"{value:g}"


def compute(inputs: Inputs) -> TwoVectors:
    """Compare the two vectors by dot product, which grows with the lengths, and cosine, which doesn't."""
    q, k = parse_link(inputs.vectors)
    pair = compare_vectors(q, k)
    formula = rf"{q[0]:g} \cdot {_bracketed(k[0])} + {_bracketed(q[1])} \cdot {_bracketed(k[1])} = {pair.dot:.2f}"
    if pair.lengths[0] * pair.lengths[1] > 0:
        fraction = rf"\frac{{{pair.dot:.2f}}}{{{pair.lengths[0]:.3f} \cdot {pair.lengths[1]:.3f}}}"
        formula = rf"{formula} \qquad {fraction} = {pair.cosine:.3f}"
    return TwoVectors(q=q, k=k, pair=pair, formula=formula)


def draw(result: TwoVectors, inputs: Inputs) -> None:
    """Draw two arrows in the plane to drag; the numbers that compare them are updated in the browser."""
    ui.mount_widget(
        "vectors",
        key=ui.picks.picture_widget_key("embeddings.vectors", ""),
        state=("pick",),
        vectors=[list(result.q), list(result.k)],
        start=[list(one) for one in START],  # the positions after Reset or Escape
        examples=[(LABELS.capitalize(name), q, k) for name, q, k in EXAMPLES],
        label=LABELS["drag"],
        takeaway=ui.section_text("takeaway"),
    )
