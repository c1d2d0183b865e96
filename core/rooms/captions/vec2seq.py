"""All patches or one vector: the same captioner with a bottleneck between picture and sentence."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data import images
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, seed, segmented_control
from core.models.images.captioner import Captioner
from core.rooms.captions.experiments import captions, captions_class
from core.train.experiment import declare_newest_run_input
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
EXPERIMENT = "captions-class"
MEASURES = LABELS.options("what", "exact", "digit", "ink", "slant", "loss")
READS = LABELS.options("reads", "patches", "vector")
CODE = (Captioner.encode, Captioner.decode, captions_class.CaptionsClass)


class Inputs(Base, prefix="vector_"):
    seed: int = seed()
    other: ExperimentRun = declare_newest_run_input("captions")
    what: str = segmented_control(MEASURES, "exact")


class BottleneckComparison(Result):
    """Two training runs, by what their decoders read."""

    runs: dict[str, ExperimentRun]
    n: int  # held-out digits
    n_right: dict[str, int]  # captions that are right, word for word
    steps: list[int]
    seeds: list[int]

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the curves of both."""
        runs = {run.name: run.record for run in self.runs.values()}
        return {f"{name}.{key}": record[key] for name, record in runs.items() for key in record if key[:5] == "curve"}

    def table(self) -> Table:
        """Return the current shares and losses of both."""
        last = {
            READS[name]: [float(run.record[f"curve.{what}"][-1]) for what in MEASURES]
            for name, run in self.runs.items()
        }
        return {LABELS["table.what"]: list(MEASURES.values()), **last}


def compute(inputs: Inputs, run: ExperimentRun) -> BottleneckComparison:
    """Collect both runs."""
    runs = {"patches": inputs.other, "vector": run}
    true = captions.true_captions(images.held_out_digits())
    return BottleneckComparison(
        runs=runs,
        n=len(true),
        n_right={name: int((one.record["written"] == true).all(1).sum()) for name, one in runs.items()},
        steps=[int(one.record["step"][-1]) for one in runs.values()],
        seeds=[one.seed for one in runs.values()],
    )


def draw(result: BottleneckComparison, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the curves of both."""
    share = ui.Axis(LABELS["share_axis"], (0, 1.05))
    ui.curves(
        {READS[name]: (one.record["step"], one.record[f"curve.{inputs.what}"]) for name, one in result.runs.items()},
        y=ui.quantity_label(LABELS["loss_axis"], LABELS["loss_unit"]) if inputs.what == "loss" else share,
        n_step=max(one.n_step for one in result.runs.values()),
    )
