"""The single rotation that shifts sinusoidal positions by a distance."""

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, ViewChoice, slider
from core.inspect import position_properties
from core.inspect.position_properties import SinusoidalShiftByRotation
from core.nn.positions import sinusoidal
from core.rooms.positions.clocks import MOST_WIDTH
from core.rooms.positions.inputs import format_small, round_to_even

LABELS = module_labels(__name__)

N_POSITION = 40  # 40 x 40 cells fit next to the matrix
CODE = (position_properties.sinusoidal_shift_matrix, position_properties.compare_sinusoidal_rotation, sinusoidal)
WARM_UP = True


class Inputs(Base, prefix="turn_"):
    width: int = slider(4, MOST_WIDTH, 16, step=2)
    shift: int = slider(
        0, N_POSITION - 1, 5, view=ViewChoice(n_number=lambda i: N_POSITION * round_to_even(i.width) ** 2)
    )


def compute(inputs: Inputs) -> SinusoidalShiftByRotation:
    """Shift all positions with one rotation matrix."""
    return position_properties.compare_sinusoidal_rotation(N_POSITION, round_to_even(inputs.width), inputs.shift)


def draw(result: SinusoidalShiftByRotation, inputs: Inputs) -> None:
    """Draw the rotation matrix and the dot products of all positions."""
    width, every = len(result.matrix), ui.compute_for_all_choices(inputs.shift)
    ui.add_template_values(every, tiny=format_small)
    rotation, dots = ui.two_columns("rotation")
    with rotation:
        ui.matrix(
            ui.pad_stack(ui.map_choices(lambda one: one.matrix, every)),
            rows=[str(j) for j in range(width)],
            columns=[str(j) for j in range(width)],
            key="positions-rotation",
            kind="signed",
            limits=(-1, 1),
            row_title=LABELS["moved_number"],
            column_title=LABELS["number"],
            value_title=LABELS["factor"],
            label=ui.map_choices(lambda one: LABELS("rotation", shift=one.shift), every),
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
            row_title=LABELS["position"],
            column_title=LABELS["position"],
            value_title=LABELS["product"],
            label=LABELS["products"],
            height=460,
        )
