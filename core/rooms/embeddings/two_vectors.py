"""Two vectors to drag: the dot product is not the cosine, and neither is a distance."""

from core.rooms.embeddings.compute import vectors
from core.rooms.embeddings.compute.vectors import Pair
from core.rooms.embeddings.vectors_widget import Vector, as_vectors, two_vectors
from core.ui.controls import picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit

START: tuple[Vector, Vector] = ((1.0, 0.0), (3.0, 3.0))
IN_LINK = "vectors"  # "q,q;k,k" in the address
EXAMPLES: tuple[tuple[str, Vector, Vector], ...] = (
    ("same", (1.0, 0.0), (1.0, 0.0)),
    ("longer, and off", (1.0, 0.0), (3.0, 3.0)),
    ("twice as long", (1.0, 0.0), (2.0, 0.0)),
    ("right angle", (2.0, 1.0), (-1.0, 2.0)),
    ("opposite", (2.0, 1.0), (-2.0, -1.0)),
)


@exhibit(
    title="Dot product is not cosine",
    look_for="two numbers that part when an arrow grows. Lecture notes often call the dot product of q and k, the "
    "two vectors that attention compares, a “cosine similarity” or a “distance”. It's neither: it grows with the "
    "lengths, without limit.",
    try_this=[
        (
            "Press “Same”, then “Longer, and off”.",
            "While k equals q, the dot product and the cosine are both 1. With k at (3, 3), 45° away, the cosine "
            "falls to 0.707, but the dot product rises to 3. Attention uses the dot product, so for it the worse "
            "direction wins here.",
        ),
        (
            "Drag k along the dotted line.",
            "The dot product stays the same while cosine, length and distance change: the line holds every k with "
            "that dot product. The thick gray bar is the part of k along q; times the length of q it's the product.",
        ),
        (
            "Press “Right angle”, then “Opposite”.",
            "At a right angle both are 0. Opposite, the cosine is −1 and can't go lower; the dot product is −5 and "
            "falls further when you pull k out.",
        ),
    ],
    code=(vectors.compare,),
    formula=r"q \cdot k = q_1 k_1 + q_2 k_2 \qquad \cos(q, k) = \frac{q \cdot k}{\lVert q\rVert\,\lVert k\rVert}",
)
def dot_is_not_cosine() -> Shown:
    """The widget; what was dragged is kept in the address."""
    pick = picks.news("embeddings.vectors", "two")
    if pick is not None and (moved := as_vectors([pick.get("q"), pick.get("k")])):
        picks.remember(IN_LINK, None if moved == START else _as_link(moved))
    q, k = _from_link(picks.remembered(IN_LINK))
    pair = vectors.compare(q, k)
    two_vectors(
        q,
        k,
        start=START,
        key=picks.key("embeddings.vectors", "two"),
        label="Drag a tip",
        takeaway=f"q {q} and k {k}: dot product {pair.dot:.2f}, cosine {pair.cosine:.3f}.",
    )
    rows = [("yours", q, k), *EXAMPLES]
    return Shown(
        numbers=lambda: vectors.pair_table(rows),
        formula=_with_numbers(q, k, pair),
        script=lambda: _script(rows),
    )


def _with_numbers(q: Vector, k: Vector, pair: Pair) -> str:
    products = rf"{q[0]:g} \cdot {_bracketed(k[0])} + {_bracketed(q[1])} \cdot {_bracketed(k[1])}"
    if pair.lengths[0] * pair.lengths[1] == 0:
        return rf"{products} = {pair.dot:.2f}"
    fraction = rf"\frac{{{pair.dot:.2f}}}{{{pair.lengths[0]:.3f} \cdot {pair.lengths[1]:.3f}}}"
    return rf"{products} = {pair.dot:.2f} \qquad {fraction} = {pair.cosine:.3f}"


def _bracketed(value: float) -> str:
    return f"({value:g})" if value < 0 else f"{value:g}"


def _script(rows: list[tuple[str, Vector, Vector]]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.embeddings.compute import vectors

        pairs = [
            $pairs
        ]
        # The dot product grows with the lengths; the cosine is what is left of it when both are divided out.
        print_table(vectors.pair_table(pairs))
        """,
        pairs=scripts.lines([scripts.Code(scripts.literal(row)) for row in rows], indent=4),
    )


def _as_link(pair: tuple[Vector, Vector]) -> str:
    return ";".join(f"{x:g},{y:g}" for x, y in pair)


def _from_link(text: str | None) -> tuple[Vector, Vector]:
    """What the address says, if it is two vectors that fit the picture; else the start."""
    if text is None or len(text) > 60:
        return START
    try:
        return as_vectors([[float(v) for v in one.split(",")] for one in text.split(";")]) or START
    except ValueError:
        return START
