"""Rotary positions: a query and a key are turned by their places; their score knows only the distance."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import picked, seed, segmented, select, slider
from core.inspect import positions
from core.inspect.positions import Array
from core.nn.positions import rotate
from core.rooms.positions.clock_widget import At, rotary, rotary_at
from core.rooms.positions.inputs import even, places, tiny

N_POSITION = 32
START: At = {"query": 9, "key": 4}
CODE = (rotate, positions.rotary_scores)
WARM_UP = True


def _where(text: str) -> At | None:
    """A place of the address, "9.4"."""
    return rotary_at(places(text, "query", "key"), N_POSITION)


def _text(sent: Any, _: Any) -> str | None:
    at = rotary_at(sent, N_POSITION)
    return ".".join(map(str, at.values())) if at else None


def _check(text: str, _: Any) -> None:
    if _where(text) is None:
        raise ValueError("Query and key can't stand where the link puts them; they begin anew.")


class Inputs(Base, prefix="rotary_"):
    """A query and a key, how they are turned, and where they stand."""

    width: int = slider("Width of a head", 2, 16, 8, step=2)
    base: int = select("Base", {base: f"{base:,}" for base in (100, 10_000, 500_000)}, 10_000)
    layout: str = segmented("Pairs", {"halves": "Halves (Llama)", "neighbors": "Neighbors (GPT-J)"}, "halves")
    seed: int = seed(label="Seed of the vectors")
    at: str = picked("rotary", "9.4", text=_text, check=_check, name="rotary")


@dataclass(frozen=True)
class Rotary:
    """A query and a key at every position."""

    q: Array  # q, k: (K,) before rotation
    k: Array
    scores: Array  # (T, T) of the query at every position with the key at every position
    at: At  # where they stand

    @property
    def spread(self) -> float:
        """Largest difference of two scores at the same distance."""
        return float(positions.spread_by_distance(self.scores).max())

    @property
    def formula(self) -> str:
        """The score, and that of both one step on, or back where there is no room."""
        m, n = self.at["query"], self.at["key"]
        step = 1 if max(m, n) < N_POSITION - 1 else -min(m, n, 1)
        return (
            rf"\begin{{aligned}} \mathrm{{score}}({m}, {n}) &= {self.scores[m, n]:.4f} \\[1ex]"
            rf"\mathrm{{score}}({m + step}, {n + step}) &= {self.scores[m + step, n + step]:.4f} \end{{aligned}}"
        )

    def table(self) -> dict[str, Any]:
        """One line for each distance."""
        distances = range(1 - len(self.scores), len(self.scores))
        return {"distance: key minus query": distances, "score": positions.by_distance(self.scores)}


def compute(inputs: Inputs) -> Rotary:
    """The query at every place with the key at every place; only their distance counts."""
    q, k = positions.drawn_pair(even(inputs.width), inputs.seed)
    scores = positions.rotary_scores(q, k, N_POSITION, float(inputs.base), inputs.layout == "neighbors")
    return Rotary(q, k, scores, _where(inputs.at) or START)


def draw(result: Rotary, inputs: Inputs) -> None:
    """The dials, which turn in the browser, and the scores for all places."""
    rotary(
        result.q,
        result.k,
        positions.frequencies(len(result.q), float(inputs.base)),
        positions.by_distance(result.scores),
        interleaved=inputs.layout == "neighbors",
        at=result.at,
        start=START,
        key=ui.picks.key("rotary", ""),
        label="Query and key, turned by their positions",
    )
    ui.say("what")
    if not ui.at_least("numbers"):
        return
    ui.say("spread", n=N_POSITION, tiny=tiny)
    names = [str(i) for i in range(N_POSITION)]
    ui.matrix(
        result.scores,
        rows=names,
        columns=names,
        key="rotary-scores",
        kind="signed",
        row_title="query at",
        column_title="key at",
        value_title="score",
        label="Scores by position",
        height=380,
    )
