"""The update as a matrix: the low-rank product of LoRA compared with the update of full fine-tuning."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, ViewChoice, segmented_control, select
from core.models import lora
from core.rooms.adapters.experiments.adapters import recorded_updates, singular_values
from core.rooms.adapters.inputs import RANK
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
TRAINED = "adapters"
N_SHOWN = 24  # singular values, and rows and columns of the picture
MATRICES = LABELS.options("matrix", *lora.TARGET_MATRICES)
PLACES = {
    f"blocks.{layer}.{matrix}": LABELS("place_in_block", layer=layer, matrix=name)
    for layer in range(2)
    for matrix, name in MATRICES.items()
}
CODE = (lora.lora_update, singular_values)


class Inputs(Base, prefix="lora_matrix_"):
    rank: int = segmented_control(RANK, 2)
    place: str = select(PLACES, "blocks.1.attn.w_q", view=ViewChoice())


class UpdateMatrices(Result):
    """The updates of one rank, and the singular values of these and of full fine-tuning."""

    rank: int
    corners: NDArray[np.float32]  # (M, 24, 24) the first rows and columns of each update
    singular: NDArray[np.float32]  # (M, 2, 24) of the update and of full fine-tuning, relative to the largest
    full: NDArray[np.float32]  # (M, 96) all singular values of full fine-tuning
    held: NDArray[np.float64]  # (M,) the share of their squares in the `rank` largest

    def table(self) -> Table:
        """Return one row for each of the first singular values of each matrix."""
        return {
            LABELS["table.matrix"]: [place for place in PLACES for _ in range(N_SHOWN)],
            LABELS["table.direction"]: [*range(1, N_SHOWN + 1)] * len(PLACES),
            LABELS("of_rank", rank=self.rank): self.singular[:, 0].round(5).ravel().tolist(),
            LABELS["full"]: self.singular[:, 1].round(5).ravel().tolist(),
        }


def compute(inputs: Inputs, run: ExperimentRun) -> UpdateMatrices:
    """Multiply each pair out, and compute the singular values."""
    updates = {name: lora.lora_update(*pair) for name, pair in recorded_updates(run.record, inputs.rank).items()}
    full = np.stack([run.record[f"singular.full.{name}"] for name in PLACES])
    relative = np.stack([np.stack([singular_values(updates[name]) for name in PLACES]), full], axis=1)  # (M, 2, 96)
    largest = relative.max(-1, keepdims=True)
    squares = full.astype(np.float64) ** 2
    total = squares.sum(1)
    return UpdateMatrices(
        rank=inputs.rank,
        corners=np.stack([updates[name][:N_SHOWN, :N_SHOWN].numpy() for name in PLACES]),
        singular=np.divide(relative, largest, out=np.zeros_like(relative), where=largest > 0)[..., :N_SHOWN],
        full=full,
        held=np.divide(squares[:, : inputs.rank].sum(1), total, out=np.ones(len(total)), where=total > 0),
    )


def draw(result: UpdateMatrices, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw a corner of the update, and its singular values next to those of full fine-tuning."""
    left, right = ui.two_columns("lora-matrix")
    counted = [str(i) for i in range(1, N_SHOWN + 1)]
    with left:
        ui.matrix(
            ui.select_by_choice(result.corners, inputs.place),
            rows=counted,
            columns=counted,
            kind="signed",
            row_title=LABELS["row"],
            column_title=LABELS["column"],
            value_title=LABELS["change"],
            key=f"lora-corner-{inputs.rank}",
            label=ui.section_text("corner"),
            compact=True,
        )
    with right:
        ui.matrix(
            ui.select_by_choice(result.singular, inputs.place),
            rows=(LABELS("of_rank", rank=inputs.rank), LABELS["full"]),
            columns=counted,
            row_title=LABELS["update"],
            column_title=LABELS["direction"],
            value_title=LABELS["strength"],
            key=f"lora-spectrum-{inputs.rank}",
            label=ui.section_text("spectrum"),
            compact=True,
        )
    ui.add_template_values(share=ui.select_by_choice(result.held, inputs.place))
