"""The update as a matrix: what a thin pair of matrices can write, beside what full fine-tuning writes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import Look, segmented, select
from core.rooms.adapters.compute import lora
from core.rooms.adapters.experiments.adapters import adapters, spectrum
from core.rooms.adapters.inputs import RANK
from core.train.experiments.live import Live

TRAINED = "adapters"
N_SHOWN = 24  # singular values, and rows and columns of the picture
NAMES = ("queries", "keys", "values", "attention, out", "feed-forward, in", "feed-forward, out")
PLACES = {
    f"blocks.{layer}.{matrix}": f"block {layer}, {name}"
    for layer in range(2)
    for matrix, name in zip(lora.MATRICES, NAMES, strict=True)
}
AT = "lora_matrix_place"
CODE = (lora.update, spectrum)


class Inputs(Base, prefix="lora_matrix_"):
    """The rank, and one of the matrices."""

    rank: int = segmented("Rank", RANK, 2)
    place: str = select("Matrix", PLACES, "blocks.1.attn.w_q", look=Look())


@dataclass(frozen=True)
class Result:
    """The updates of one rank, and how many directions each of them and full fine-tuning write."""

    rank: int
    corners: NDArray[np.float32]  # (M, 24, 24) of each update, its first rows and columns
    singular: NDArray[np.float32]  # (M, 2, 24) of the update and of full fine-tuning, relative to the largest
    full: NDArray[np.float32]  # (M, 96) of full fine-tuning, all of them

    @property
    def held(self) -> NDArray[np.float64]:
        """(M,) the share of what full fine-tuning wrote, squared, in its best directions, as many as the rank."""
        squares = self.full.astype(np.float64) ** 2
        total = squares.sum(1)
        return np.divide(squares[:, : self.rank].sum(1), total, out=np.ones(len(total)), where=total > 0)

    def table(self) -> dict[str, list[Any]]:
        """One line for each of the first singular values of each matrix."""
        rows = [
            (place, i + 1, *map(float, self.singular[m, :, i].round(5)))
            for m, place in enumerate(PLACES)
            for i in range(N_SHOWN)
        ]
        names = ("matrix", "direction", f"rank {self.rank}", "full fine-tuning")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def compute(inputs: Inputs, run: Live) -> Result:
    """Each pair multiplied out, and its singular values."""
    updates = {name: lora.update(*pair) for name, pair in adapters(run.record, inputs.rank).items()}
    full = np.stack([run.record[f"singular.full.{name}"] for name in PLACES])
    thin = np.stack([spectrum(updates[name]) for name in PLACES])
    relative = np.stack([thin, full], axis=1)  # (M, 2, 96)
    largest = relative.max(-1, keepdims=True)
    return Result(
        inputs.rank,
        np.stack([updates[name][:N_SHOWN, :N_SHOWN].numpy() for name in PLACES]),
        np.divide(relative, largest, out=np.zeros_like(relative), where=largest > 0)[..., :N_SHOWN],
        full,
    )


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """A corner of the update, and how its strength is spread over directions."""
    left, right = ui.pair("lora-matrix")
    counted = [str(i) for i in range(1, N_SHOWN + 1)]
    with left:
        ui.matrix(
            ui.along(result.corners, AT),
            rows=counted,
            columns=counted,
            kind="signed",
            row_title="number written",
            column_title="number read",
            value_title="change",
            key=f"lora-corner-{inputs.rank}",
            label=ui.words("corner"),
            compact=True,
        )
    with right:
        ui.matrix(
            ui.along(result.singular, AT),
            rows=(f"rank {inputs.rank}", "full fine-tuning"),
            columns=counted,
            row_title="update",
            column_title="direction, the strongest first",
            value_title="strength",
            key=f"lora-spectrum-{inputs.rank}",
            label=ui.words("spectrum"),
            compact=True,
        )
    ui.say("directions")
    ui.say_each("held", [{"share": float(share)} for share in result.held], AT)
