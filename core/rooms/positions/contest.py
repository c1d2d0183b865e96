"""A contest of position encodings: six models train live on one task and are tested beyond the trained length."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed
from core.nn.positions import POSITION_SCHEMES
from core.rooms.positions.experiments import contest as experiment
from core.rooms.positions.experiments.contest import LONGEST, NAMES, TRAINED
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "contest"
# The schemes that can go beyond the trained length at all.
GUESSES = {name: NAMES[name] for name in ("sinusoidal", "rotary", "alibi", "relative")}
CODE = (experiment.Contest, experiment.position_accuracy, experiment.recipe)


class Inputs(Base, prefix="contest_"):
    task: str = experiment.Options.control("task")
    back: int = experiment.Options.control("back")
    seed: int = seed()
    guess: str = guess_control(GUESSES)


class ContestResult(Result):
    """Six models in their current state; after a guess, also their accuracy beyond the trained length."""

    run: ExperimentRun
    is_over: bool
    is_told: bool
    # name -> mean accuracy up to the trained length, in equally many tokens after it, and in the rest; nan: no position
    means: dict[str, tuple[float, ...]]
    outcome: GuessOutcome | None
    n_symbol: int = experiment.N_SYMBOL
    n_trained: int = TRAINED
    longest: int = LONGEST

    def table(self) -> Table:
        """Return the accuracy at each position or, until it may be revealed, inside the trained length by step."""
        record = self.run.record
        if self.is_told:
            found = {NAMES[s]: record[f"position.{s}"].round(4) for s in POSITION_SCHEMES}
            return {LABELS["table.position"]: list(range(1, LONGEST + 1)), **found}
        return {
            LABELS["table.step"]: record["step"],
            **{NAMES[s]: record[f"curve.{s}.inside"].round(4) for s in POSITION_SCHEMES},
        }


def compute(inputs: Inputs, run: ExperimentRun) -> ContestResult:
    """Summarize the record, and decide whether the outcome may be revealed."""
    is_over = f"position.{POSITION_SCHEMES[0]}" in run.record
    means = {NAMES[s]: _means(run.record[f"position.{s}"]) for s in POSITION_SCHEMES} if is_over else {}
    outcome = None
    if is_over:
        best = max(POSITION_SCHEMES, key=lambda s: np.nan_to_num(means[NAMES[s]][1]))
        outcome = GuessOutcome(
            best if best in GUESSES else "", LABELS("outcome", name=NAMES[best], share=means[NAMES[best]][1])
        )
    is_told = is_over and inputs.guess != NOT_YET
    return ContestResult(run=run, is_over=is_over, is_told=is_told, means=means, outcome=outcome)


def _means(right: NDArray[np.float32]) -> tuple[float, ...]:
    cuts = (slice(0, TRAINED), slice(TRAINED, 2 * TRAINED), slice(2 * TRAINED, LONGEST))
    return tuple(float(np.nanmean(right[cut])) if np.isfinite(right[cut]).any() else np.nan for cut in cuts)


def draw(result: ContestResult, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the accuracy by training step and, after a guess, by position."""
    record, share = run.record, ui.Axis(LABELS["share_axis"], (0, 1.02))
    if not result.is_told or ui.depth_at_least("numbers"):
        curves = {NAMES[s]: (record["step"], record[f"curve.{s}.inside"]) for s in POSITION_SCHEMES}
        ui.curves(curves, y=share, n_step=run.n_step)
    if result.is_told:
        curves = {NAMES[s]: (np.arange(LONGEST), record[f"position.{s}"]) for s in POSITION_SCHEMES}
        ui.curves(curves, x=LABELS["position_axis"], y=share, n_step=LONGEST)
