"""Whom a token is near to: by the angle between the vectors, and by their dot product."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.exhibit import slider
from core.rooms.embeddings import facts
from core.rooms.embeddings.compute import embeddings
from core.rooms.embeddings.compute.embeddings import Neighbors
from core.rooms.embeddings.inputs import Token

CODE = (embeddings.neighbors, embeddings.cosine)


class Inputs(Token):
    """How many neighbors."""

    n: int = slider("How many neighbors", 3, 15, 8, name="neighbors")


@dataclass(frozen=True)
class Result:
    """The tokens nearest to one, and what all tokens are called."""

    near: Neighbors
    names: tuple[str, ...]
    token: int

    @property
    def only_cosine(self) -> list[int]:
        """Tokens that only the list by cosine holds."""
        return [i for i in self.near.by_cosine.tolist() if i not in self.near.by_dot]

    @property
    def only_dot(self) -> list[int]:
        return [i for i in self.near.by_dot.tolist() if i not in self.near.by_cosine]

    @property
    def swapped(self) -> tuple[int, int] | None:
        """Two tokens of both lists whose order differs; None if they agree."""
        if self.only_dot:
            return None
        order, place = self.near.by_cosine.tolist(), self.near.by_dot.tolist().index
        return next(((a, b) for i, a in enumerate(order) for b in order[i + 1 :] if place(b) < place(a)), None)

    def by_name(self, *names: str) -> dict[str, float]:
        """The cosines with these words, as they stand after a space."""
        return {name: float(self.near.cosines[self.names.index(f"·{name}")]) for name in names}

    @property
    def formula(self) -> str:
        """The dot product with the nearest token."""
        near, token = self.near, self.token
        best = int(near.by_cosine[0]) if len(near.by_cosine) else token
        dot = f"{near.dots[best]:.2f}" if abs(near.dots[best]) >= 10 else f"{near.dots[best]:.4f}"
        return rf"{dot} = {near.lengths[token]:.3f} \cdot {near.lengths[best]:.3f} \cdot {near.cosines[best]:.4f}"

    def table(self) -> dict[str, list[Any]]:
        """All tokens in the order of their ids."""
        return self.near.table(self.names)


def compute(inputs: Inputs) -> Result:
    """One token against all tokens: the angle alone, the dot product, and the lengths that make the difference."""
    key, token = inputs.key, inputs.token
    return Result(embeddings.neighbors(facts.table(key), token, inputs.n), facts.labels(key), token)


def draw(result: Result, inputs: Inputs) -> None:
    """Two lists side by side, and why they differ."""
    near = result.near
    digits = 1 if near.dots[near.by_dot].max(initial=0.0) >= 10 else 3
    left, right = ui.pair("nearest")
    with left:
        _bars(result, near.by_cosine, near.cosines, result.only_cosine, ui.Axis("cosine", (0, 1)), digits=3)
    with right:
        _bars(result, near.by_dot, near.dots, result.only_dot, ui.Axis("dot product"), digits=digits)
    ui.say("measures")
    ui.say("why")
    ui.say("lengths")


def _bars(result: Result, ids: Any, values: Any, alone: list[int], x: ui.Axis, digits: int) -> None:
    notes = [f"length {result.near.lengths[i]:.2f}" if x.title == "dot product" else "" for i in ids]
    ui.bars(
        {"": [values[i] for i in ids]},
        labels=[f"★ {result.names[i]}" if i in alone else result.names[i] for i in ids],
        x=x,
        y=ui.Axis(is_code=True),
        printed=f".{digits}f",
        notes=notes,
        marked=[i in alone for i in ids],
        takeaway=f"The nearest tokens by {x.title}.",
    )
