"""The single rotation that shifts sinusoidal positions by a distance."""

from core import ui
from core.exhibit import Inputs as Base, Look, slider
from core.inspect import positions
from core.inspect.positions import Shifted
from core.nn.positions import sinusoidal
from core.rooms.positions.clocks import MOST_WIDTH
from core.rooms.positions.inputs import format_small, round_to_even

N_POSITION = 40  # 40 x 40 cells fit next to the matrix
CODE = (positions.shift_matrix, positions.shifted, sinusoidal)
WARM_UP = True


class Inputs(Base, prefix="turn_"):
    width: int = slider("Width", 4, MOST_WIDTH, 16, step=2)
    shift: int = slider(
        "Shift", 0, N_POSITION - 1, 5, look=Look(numbers=lambda i: N_POSITION * round_to_even(i.width) ** 2)
    )


def compute(inputs: Inputs) -> Shifted:
    """Shift all positions with one rotation matrix."""
    return positions.shifted(N_POSITION, round_to_even(inputs.width), inputs.shift)


def draw(result: Shifted, inputs: Inputs) -> None:
    """Draw the rotation matrix and the dot products of all positions."""
    width, every = len(result.matrix), ui.results(inputs.shift)
    ui.facts(every, tiny=format_small)
    rotation, dots = ui.pair("rotation")
    with rotation:
        ui.matrix(
            ui.stacked(ui.over(lambda one: one.matrix, every)),
            rows=[str(j) for j in range(width)],
            columns=[str(j) for j in range(width)],
            key="positions-rotation",
            kind="signed",
            limits=(-1, 1),
            row_title="number of the moved vector",
            column_title="number of the vector",
            value_title="factor",
            label=ui.over(lambda one: f"The rotation for a shift of {one.shift}", every),
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
