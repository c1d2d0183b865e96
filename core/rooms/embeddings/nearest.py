"""The nearest neighbors of a token, by the angle between the vectors and by their dot product."""

from typing import Any

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, slider
from core.rooms.embeddings import facts
from core.rooms.embeddings.compute import embeddings
from core.rooms.embeddings.compute.embeddings import TokenNeighbors
from core.rooms.embeddings.inputs import TokenInputs

LABELS = module_labels(__name__)

CODE = (embeddings.nearest_tokens, embeddings.cosine_similarity)


class Inputs(TokenInputs):
    """The number of neighbors."""

    n: int = slider(3, 15, 8, name="neighbors")


class Nearest(Result):
    """The tokens nearest to one token, and the names of all tokens."""

    near: TokenNeighbors
    names: tuple[str, ...]
    token: int
    only_cosine: list[int]  # tokens that are only in the list by cosine
    only_dot: list[int]
    swapped: tuple[int, int] | None  # two tokens of both lists whose order differs; None if they agree
    formula: str  # the dot product with the nearest token

    def by_name(self, *names: str) -> dict[str, float]:
        """Return the cosines with these words, in the form that follows a space."""
        return {name: float(self.near.cosines[self.names.index(f"·{name}")]) for name in names}

    def table(self) -> Table:
        """Return all tokens in the order of their ids."""
        return self.near.table(self.names)


def compute(inputs: Inputs) -> Nearest:
    """Compare one token with all tokens, by angle, by dot product, and with the lengths that make the difference."""
    key, token = inputs.key, inputs.token
    near = embeddings.nearest_tokens(facts.embedding_table(key), token, inputs.n)
    by_cosine, by_dot = near.by_cosine.tolist(), near.by_dot.tolist()
    only_dot, swapped = [i for i in by_dot if i not in by_cosine], None
    if not only_dot:
        pairs = ((a, b) for i, a in enumerate(by_cosine) for b in by_cosine[i + 1 :])
        swapped = next(((a, b) for a, b in pairs if by_dot.index(b) < by_dot.index(a)), None)
    best = by_cosine[0] if by_cosine else token
    dot = f"{near.dots[best]:.2f}" if abs(near.dots[best]) >= 10 else f"{near.dots[best]:.4f}"
    return Nearest(
        near=near,
        names=facts.token_labels(key),
        token=token,
        only_cosine=[i for i in by_cosine if i not in by_dot],
        only_dot=only_dot,
        swapped=swapped,
        formula=rf"{dot} = {near.lengths[token]:.3f} \cdot {near.lengths[best]:.3f} \cdot {near.cosines[best]:.4f}",
    )


def draw(result: Nearest, inputs: Inputs) -> None:
    """Draw two lists side by side."""
    near = result.near
    digits = 1 if near.dots[near.by_dot].max(initial=0.0) >= 10 else 3
    left, right = ui.two_columns("nearest")
    with left:
        _bars(
            result,
            near.by_cosine,
            near.cosines,
            result.only_cosine,
            ui.Axis(LABELS["cosine"], (0, 1)),
            digits=3,
            is_dot=False,
        )
    with right:
        _bars(result, near.by_dot, near.dots, result.only_dot, ui.Axis(LABELS["dot"]), digits=digits, is_dot=True)


def _bars(result: Nearest, ids: Any, values: Any, alone: list[int], x: "ui.Axis", *, digits: int, is_dot: bool) -> None:
    notes = [LABELS("length", length=result.near.lengths[i]) if is_dot else "" for i in ids]
    ui.bars(
        {"": [values[i] for i in ids]},
        labels=[f"★ {result.names[i]}" if i in alone else result.names[i] for i in ids],
        x=x,
        y=ui.Axis(is_code=True),
        printed=f".{digits}f",
        notes=notes,
        marked=[i in alone for i in ids],
        takeaway=LABELS["takeaway.dot"] if is_dot else LABELS["takeaway.cosine"],
    )
