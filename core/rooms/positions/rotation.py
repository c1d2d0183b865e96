"""The one rotation that belongs to each shift of sinusoidal positions."""

import numpy as np

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import Look, slider
from core.inspect import positions
from core.inspect.positions import Shifted
from core.nn.positions import sinusoidal
from core.rooms.positions.clocks import MOST_WIDTH
from core.rooms.positions.inputs import even, tiny

N_POSITION = 40  # 40 x 40 cells fit beside the matrix
SHIFT = "turn_shift"
CODE = (positions.shift_matrix, positions.shifted, sinusoidal)
WARM_UP = True


class Inputs(Base, prefix="turn_"):
    """Which table, and how far to move in it."""

    width: int = slider("Width", 4, MOST_WIDTH, 16, step=2)
    shift: int = slider("Shift", 0, N_POSITION - 1, 5, look=Look(numbers=lambda i: N_POSITION * even(i.width) ** 2))


def compute(inputs: Inputs) -> Shifted:
    """All positions turned by one rotation."""
    return positions.shifted(N_POSITION, even(inputs.width), inputs.shift)


def draw(result: Shifted, inputs: Inputs) -> None:
    """The rotation matrix, its residual over all positions, and the dot products of all positions."""
    width, shifts = len(result.matrix), ui.values_of(SHIFT)
    every = [positions.shifted(N_POSITION, width, shift) for shift in shifts]
    same = [np.diagonal(result.products, shift) for shift in shifts]
    ui.say(
        "error",
        last=N_POSITION - 1,
        shift=ui.along(shifts, SHIFT),
        error=ui.along([tiny(one.residual.max()) for one in every], SHIFT),
        product=ui.along([one[0] for one in same], SHIFT),
        spread=ui.along([tiny(np.ptp(one)) for one in same], SHIFT),
    )
    ui.say("precision", tiny=tiny)
    rotation, dots = ui.pair("rotation")
    with rotation:
        ui.matrix(
            ui.along(np.stack([one.matrix for one in every]), SHIFT),
            rows=[str(j) for j in range(width)],
            columns=[str(j) for j in range(width)],
            key="positions-rotation",
            kind="signed",
            limits=(-1, 1),
            row_title="number of the moved vector",
            column_title="number of the vector",
            value_title="factor",
            label=ui.along([f"The rotation for a shift of {shift}" for shift in shifts], SHIFT),
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
