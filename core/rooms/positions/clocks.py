"""Sinusoidal positions: the vector of a position as clock hands."""

from dataclasses import dataclass
from typing import Any

import torch

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import picked, slider
from core.inspect import positions
from core.inspect.positions import Array
from core.nn.positions import sinusoidal
from core.rooms.positions.clock_widget import At, clock, clock_at
from core.rooms.positions.inputs import even, places

MOST_WIDTH = 64  # 32 clocks: more hands than that cannot be read
CODE = (sinusoidal,)
WARM_UP = True


def _where(text: str, inputs: Any) -> At | None:
    """A place of the address, "5.0.0"."""
    return clock_at(places(text, "position", "distance", "pair"), inputs.n_position, even(inputs.width))


def _text(sent: Any, inputs: Any) -> str | None:
    at = clock_at(sent, inputs.n_position, even(inputs.width))
    return ".".join(map(str, at.values())) if at else None


def _check(text: str, inputs: Any) -> None:
    if _where(text, inputs) is None:
        raise ValueError("There is no such place on these clocks; they begin anew.")


class Inputs(Base, prefix="clock_"):
    """The size of the table, and where to look."""

    width: int = slider("Width: two numbers for each clock", 4, MOST_WIDTH, 16, step=2)
    n_position: int = slider("Number of positions", 8, 128, 64, step=8, name="clock_positions")
    at: str = picked("clock", "5.0.0", text=_text, check=_check, name="clock")


@dataclass(frozen=True)
class Clocks:
    """Sinusoidal positions."""

    vectors: Array  # (T, D) float64
    frequencies: Array  # (D/2,) radians per position
    at: At  # position, distance and pair that are looked at

    @property
    def formula(self) -> str:
        """For the chosen position and pair."""
        p, i = self.at["position"], self.at["pair"]
        angle = rf"\frac{{{p}}}{{10000^{{{2 * i}/{self.vectors.shape[1]}}}}}"
        return (
            rf"\begin{{aligned}} \sin\!\left({angle}\right) &= {self.vectors[p, 2 * i]:.4f} \\[1ex]"
            rf"\cos\!\left({angle}\right) &= {self.vectors[p, 2 * i + 1]:.4f} \end{{aligned}}"
        )

    def table(self) -> dict[str, Any]:
        """One line for each position and one column for each number."""
        return {"position": range(len(self.vectors))} | {str(j): column for j, column in enumerate(self.vectors.T)}


def compute(inputs: Inputs) -> Clocks:
    """The table in double precision."""
    width, at = even(inputs.width), _where(inputs.at, inputs)
    assert at is not None, "it was checked"
    vectors = sinusoidal(inputs.n_position, width, dtype=torch.float64).numpy()
    return Clocks(vectors, positions.frequencies(width), at)


def draw(result: Clocks, inputs: Inputs) -> None:
    """The clocks, the curves and the heat map, linked in the browser."""
    ui.say("pairs")
    label = f"{len(result.vectors)} positions of {result.vectors.shape[1]} numbers"
    clock(result.vectors, result.frequencies, at=result.at, key=ui.picks.key("clock", ""), label=label)
