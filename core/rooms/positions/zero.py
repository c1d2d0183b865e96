"""The vector that position 0 adds to a token, and the numbers that a lecture note printed instead."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, ViewChoice, slider
from core.nn.positions import sinusoidal

LABELS = module_labels(__name__)

# A lecture note's numbers for the first token: the embedding, and "the positional encoded vector". Columns of 128.
COLUMNS = (0, 1, 2, 125, 126, 127)
EMBEDDING = (0.2332, 0.3238, 0.3962, 0.3544, -0.5660, 0.0352)
PRINTED_SUM = (0.2332, 0.3238, 0.3962, 0.3544, -0.5660, 0.0352)
CODE = (sinusoidal,)


class Inputs(Base, prefix="zero_"):
    position: int = slider(0, 30, 0, view=ViewChoice())


class PrintedVector(Result):
    """Six numbers of a token's vector, as printed in the note."""

    position: int
    added: NDArray[np.float64]  # by the position
    rows: dict[str, Any]  # token, position, sum, and the printed sum (nan except for position 0)
    off: NDArray[np.float64]  # error of the printed sum

    def table(self) -> Table:
        return {LABELS["table.number"]: COLUMNS} | {
            name: row for name, row in self.rows.items() if not np.isnan(row).all()
        }


def compute(inputs: Inputs) -> PrintedVector:
    """Add the position's vector to the printed embedding."""
    position = inputs.position
    added = sinusoidal(position + 1, 128, dtype=torch.float64).numpy()[position, list(COLUMNS)]
    total = EMBEDDING + added
    rows: dict[str, Any] = {LABELS["row.token"]: EMBEDDING, f"PE({position})": added, LABELS["row.sum"]: total}
    printed = PRINTED_SUM if position == 0 else np.full(6, np.nan)
    rows[LABELS["row.printed"]] = printed
    return PrintedVector(position=position, added=added, rows=rows, off=abs(total - printed))


def draw(result: PrintedVector, inputs: Inputs) -> None:
    """Draw the vectors below each other, with a row of the printed numbers for position 0 only."""
    every = ui.compute_for_all_choices(inputs.position)
    ui.add_template_values(every)
    ui.matrix(
        ui.pad_stack(ui.map_choices(lambda one: np.array([*one.rows.values()]), every)),
        rows=ui.map_choices(lambda one: [*one.rows], every),
        columns=[str(j) for j in COLUMNS],
        key="position-zero",
        kind="signed",
        limits=(-2, 2),
        row_title=LABELS["vector"],
        column_title=LABELS["number"],
        value_title=LABELS["value"],
        empty_title=LABELS["only_zero"],
        label=LABELS["vectors"],
        takeaway=ui.map_choices(_takeaway, every),
        height=210,
    )


def _takeaway(found: PrintedVector) -> str:
    return LABELS("takeaway", position=found.position, values=", ".join(f"{value:.4f}" for value in found.added))
