"""What position 0 adds to a token's vector, and what a lecture note printed instead."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import Look, slider
from core.nn.positions import sinusoidal

# What a lecture note prints of the first token: the embedding, and "the positional encoded vector". Columns of 128.
COLUMNS = (0, 1, 2, 125, 126, 127)
EMBEDDING = (0.2332, 0.3238, 0.3962, 0.3544, -0.5660, 0.0352)
PRINTED_SUM = (0.2332, 0.3238, 0.3962, 0.3544, -0.5660, 0.0352)
POSITION = "zero_position"
CODE = (sinusoidal,)


class Inputs(Base, prefix="zero_"):
    """Where the token stands."""

    position: int = slider("Position", 0, 30, 0, look=Look())


@dataclass(frozen=True)
class Printed:
    """Some numbers of a token that a lecture note prints."""

    columns: tuple[int, ...]  # which numbers of the vector
    added: NDArray[np.float64]  # what the position adds to them
    rows: dict[str, Any]  # the embedding, the position, their sum; for position 0 also the sum as printed

    @property
    def off(self) -> NDArray[np.float64]:
        """How far the printed sum is off; nothing where there is none."""
        return np.abs(self.rows["sum"] - np.array(self.rows.get("printed", self.rows["sum"])))

    def table(self) -> dict[str, Any]:
        return {"number": self.columns, **self.rows}


def compute(inputs: Inputs) -> Printed:
    """The printed embedding, the position added to it, and their sum."""
    position = inputs.position
    added = sinusoidal(position + 1, 128, dtype=torch.float64).numpy()[position, list(COLUMNS)]
    rows = {"token": EMBEDDING, f"PE({position})": added, "sum": np.array(EMBEDDING) + added}
    return Printed(COLUMNS, added, rows | ({"printed": PRINTED_SUM} if position == 0 else {}))


def draw(result: Printed, inputs: Inputs) -> None:
    """The vectors below each other; of what was printed there is a row for position 0 alone."""
    places = ui.values_of(POSITION)
    every = [compute(Inputs(position=place)) for place in places]
    nothing = np.full(len(COLUMNS), np.nan)
    ui.matrix(
        ui.along([[*list(one.rows.values())[:3], one.rows.get("printed", nothing)] for one in every], POSITION),
        rows=ui.along([[*list(one.rows)[:3], "printed"] for one in every], POSITION),
        columns=[str(j) for j in result.columns],
        key="position-zero",
        kind="signed",
        limits=(-2, 2),
        row_title="vector",
        column_title="number",
        value_title="value",
        empty_title="printed of position 0 alone",
        label="A token's vector, its position, and their sum",
        takeaway=ui.along([_takeaway(place, one) for place, one in zip(places, every, strict=True)], POSITION),
        height=210,
    )
    ui.say(ui.along(["off" if place == 0 else "" for place in places], POSITION), off=every[0].off)


def _takeaway(position: int, found: Printed) -> str:
    return f"Position {position} adds {', '.join(f'{value:.4f}' for value in found.added)}."
