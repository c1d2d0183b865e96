"""Six ways to read a text that is eight times as long as in training, and four of them after some more training."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table
from core.rooms.long_texts.compute import position_losses, reading_ways
from core.rooms.long_texts.compute.reading_ways import FREQUENCY_WAYS, WAY_NAMES
from core.rooms.long_texts.experiments import long_texts as experiment
from core.rooms.long_texts.experiments.long_texts import BIN_SIZE, MAX_LENGTH, TRAINED_LENGTH
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "long-texts"
BIN_CENTERS = np.arange(MAX_LENGTH // BIN_SIZE) * BIN_SIZE + (BIN_SIZE + 1) / 2  # the middle of each bin
LAST = slice(-(TRAINED_LENGTH // BIN_SIZE), None)  # the bins of the last 64 positions
CODE = (reading_ways.scaled_rotary, reading_ways.SinkGPT, experiment.letter_losses, experiment.LongTexts)


class Inputs(Base):
    """No inputs: the exhibit above trains the model."""


class WaysToRead(Result):
    """The losses of all ways, in nats; nan as long as the run isn't over."""

    run: ExperimentRun
    seeds: ExperimentRun  # the same from three seeds
    is_over: bool
    blind: float  # the loss of a model that only knows how often each letter occurs
    names: Mapping[str, str]
    ends_at: Mapping[str, tuple[float, float]]  # lowest and highest over three seeds, in the last 64 positions
    inside: float  # within the trained length, as trained
    end: Mapping[str, float]  # in the last 64 of the 512 positions
    tuned: Mapping[str, float]  # the same for the ways that were fine-tuned
    best: str  # the way with the lowest loss at the end, with the original weights
    best_clock: str  # the same among the ways that read the whole text
    best_tuned: str
    bump: float  # how much worse the window is than with sinks, in the 64 positions after the trained length

    def losses(self, way: str, *, tuned: bool = False) -> NDArray[np.float32]:
        """Return the loss of the next letter (bins,) in nats; tuned: after some steps on long texts."""
        found: NDArray[np.float32] = self.run.record[f"{'tuned.' if tuned else ''}position.{way}"]
        return found

    def ends(self, way: str, *, tuned: bool = False) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the lowest and the highest of these losses (bins,), over the three seeds that ship."""
        found = self.seeds.record[f"{'tuned.' if tuned else ''}position.{way}"]
        return found.min(0), found.max(0)

    def table(self) -> Table:
        """Return the loss of each way by position; before that is known, no rows."""
        if not self.is_over:
            return {LABELS["position"]: []}
        found = {name: self.losses(way).round(4) for way, name in WAY_NAMES.items()}
        found |= {
            LABELS("trained_on", way=WAY_NAMES[way]): self.losses(way, tuned=True).round(4) for way in FREQUENCY_WAYS
        }
        return {LABELS["position"]: BIN_CENTERS.tolist(), **found}


def compute(inputs: Inputs, run: ExperimentRun) -> WaysToRead:
    """Return the record, and which way is best where."""
    seeds = run_experiment("long-texts-seeds")
    losses, more = (position_losses.part_losses(run.record, tuned=tuned) for tuned in (False, True))
    end, tuned = ({way: float(of_way[-1]) for way, of_way in one.items()} for one in (losses, more))
    read = {way: seeds.record[f"position.{way}"][:, LAST] for way in WAY_NAMES}
    return WaysToRead(
        run=run,
        seeds=seeds,
        is_over=position_losses.is_over(run.record),
        blind=float(run.record["blind"]),
        names=dict(WAY_NAMES),
        ends_at={way: (float(one.mean(1).min()), float(one.mean(1).max())) for way, one in read.items()},
        inside=float(losses["plain"][0]),
        end=end,
        tuned=tuned,
        best=min(end, key=end.__getitem__),
        best_clock=min(FREQUENCY_WAYS, key=end.__getitem__),
        best_tuned=min(tuned, key=tuned.__getitem__),
        bump=float(losses["window"][1] - losses["sinks"][1]),
    )


def draw(result: WaysToRead, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the loss of each way by position, and below it after more training."""
    if not result.is_over:
        return
    top = max(float(result.losses(way).max()) for way in WAY_NAMES)
    for ways_shown, tuned in ((tuple(WAY_NAMES), False), (FREQUENCY_WAYS, True)):
        ends = {WAY_NAMES[way]: result.ends(way, tuned=tuned) for way in ways_shown}
        ui.curves(
            {WAY_NAMES[way]: (BIN_CENTERS, result.losses(way, tuned=tuned)) for way in ways_shown},
            title=ui.section_text("tuned-title") if tuned else "",
            x=LABELS["position_axis"],
            y=ui.Axis(ui.quantity_label(LABELS["letter_loss"], LABELS["nats"]), (1, 1.05 * top)),
            references={LABELS["blind"]: result.blind},
            at=TRAINED_LENGTH,
            bands=ends if ui.depth_at_least("numbers") else {},
            height=240 if tuned else 300,
        )
