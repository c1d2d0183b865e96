"""The one rotation that belongs to each shift of sinusoidal positions."""

import numpy as np

from core import ui
from core.inputs import Inputs as Base
from core.inputs import slider
from core.inspect import positions
from core.inspect.positions import Shifted
from core.nn.positions import sinusoidal
from core.rooms.positions.clocks import MOST_WIDTH
from core.rooms.positions.inputs import even, tiny

N_POSITION = 40  # 40 x 40 cells fit beside the matrix
CODE = (positions.shift_matrix, positions.shifted, sinusoidal)
WARM_UP = True


class Inputs(Base, prefix="turn_"):
    """How far to move, in which table."""

    shift: int = slider("Shift", 0, N_POSITION - 1, 5)
    width: int = slider("Width", 4, MOST_WIDTH, 16, step=2)


def compute(inputs: Inputs) -> Shifted:
    """All positions turned by one rotation."""
    return positions.shifted(N_POSITION, even(inputs.width), inputs.shift)


def draw(result: Shifted, inputs: Inputs) -> None:
    """The rotation matrix, its residual over all positions, and the dot products of all positions."""
    same, width = np.diagonal(result.products, inputs.shift), len(result.matrix)
    ui.say("error", last=N_POSITION - 1, product=same[0], spread=np.ptp(same), tiny=tiny)
    ui.say("precision", tiny=tiny)
    rotation, dots = ui.pair("rotation")
    with rotation:
        ui.matrix(
            result.matrix,
            rows=[str(j) for j in range(width)],
            columns=[str(j) for j in range(width)],
            key="positions-rotation",
            kind="signed",
            limits=(-1, 1),
            row_title="number of the moved vector",
            column_title="number of the vector",
            value_title="factor",
            label=f"The rotation for a shift of {inputs.shift}",
            height=460,
        )
    with dots:
        ui.matrix(
            result.products,
            rows=[str(p) for p in range(N_POSITION)],
            columns=[str(p) for p in range(N_POSITION)],
            key="positions-products",
            kind="signed",
            limits=(-width / 2, width / 2),
            row_title="position",
            column_title="position",
            value_title="dot product",
            label="Dot products of all positions",
            height=460,
        )
