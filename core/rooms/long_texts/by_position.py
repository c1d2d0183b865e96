"""A model trained on 64 tokens reads 512 in six ways: the loss of each next letter, by position."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed
from core.rooms.long_texts.compute import reading_ways
from core.rooms.long_texts.compute.reading_ways import FREQUENCY_WAYS, WAY_NAMES
from core.rooms.long_texts.experiments import long_texts as experiment
from core.rooms.long_texts.experiments.long_texts import BIN_SIZE, MAX_LENGTH, TRAINED_LENGTH
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "long-texts"
NEGLIGIBLE_CHANGE = 0.1  # nats: a smaller difference counts as no change
N_INSIDE_BIN = TRAINED_LENGTH // BIN_SIZE  # points of a curve within the trained length
BIN_CENTERS = np.arange(MAX_LENGTH // BIN_SIZE) * BIN_SIZE + (BIN_SIZE + 1) / 2  # the middle of each bin
CODE = (reading_ways.scaled_rotary, reading_ways.SinkGPT, experiment.letter_losses, experiment.LongTexts)


class Inputs(Base, prefix="long_"):
    guess: str = guess_control(
        ("better", "same", "slowly", "at_once"),
    )
    seed: int = seed(depth="numbers")


class LengthExtrapolation(Result):
    """The run so far; once it is finished, the mean losses of each way, in nats."""

    run: ExperimentRun
    seeds: ExperimentRun  # the same from three seeds
    has_guess: bool
    is_over: bool
    is_told: bool
    blind: float  # the loss of a model that only knows how often each letter occurs
    names: dict[str, str]
    ends_at: dict[str, tuple[float, float]]  # lowest and highest over three seeds, in the last 64 positions
    inside: float  # within the trained length, as trained
    after: dict[str, float]  # in the 64 positions after the trained length
    end: dict[str, float]  # in the last 64 of the 512 positions
    tuned: dict[str, float]  # the same for the ways that were fine-tuned
    best: str  # the way with the lowest loss at the end, with the original weights
    best_clock: str  # the same among the ways that read the whole text
    best_tuned: str
    bump: float  # how much worse the window is than with sinks, in the 64 positions after the trained length
    outcome: GuessOutcome | None

    def losses(self, way: str, *, tuned: bool = False) -> NDArray[np.float32]:
        """Return the loss of the next letter (bins,) in nats; tuned: after some steps on long texts."""
        found: NDArray[np.float32] = self.run.record[f"{'tuned.' if tuned else ''}position.{way}"]
        return found

    def ends(self, way: str, *, tuned: bool = False) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the lowest and the highest of these losses (bins,), over the three seeds that ship."""
        found = self.seeds.record[f"{'tuned.' if tuned else ''}position.{way}"]
        return found.min(0), found.max(0)

    def table(self) -> Table:
        """Return the loss of each way by position; before that may be shown, the learning curve."""
        if not self.is_told:
            names = {LABELS["inside"]: "inside"} | ({LABELS["beyond"]: "beyond"} if self.has_guess else {})
            shown = {title: self.run.record[f"curve.{name}"].round(4) for title, name in names.items()}
            return {LABELS["step"]: self.run.record["step"], **shown}
        found = {name: self.losses(way).round(4) for way, name in WAY_NAMES.items()}
        found |= {
            LABELS("trained_on", way=WAY_NAMES[way]): self.losses(way, tuned=True).round(4) for way in FREQUENCY_WAYS
        }
        return {LABELS["position"]: BIN_CENTERS.tolist(), **found}


def compute(inputs: Inputs, run: ExperimentRun) -> LengthExtrapolation:
    """Return the record, without what the guess still hides."""
    record, seeds = run.record, run_experiment("long-texts-seeds")
    is_over = f"tuned.position.{FREQUENCY_WAYS[-1]}" in record

    def mean(way: str, place: slice) -> float:
        return float(record[f"position.{way}"][place].mean()) if is_over else np.nan

    last = slice(-N_INSIDE_BIN, None)
    after = {way: mean(way, slice(N_INSIDE_BIN, 2 * N_INSIDE_BIN)) for way in WAY_NAMES}
    end = {way: mean(way, last) for way in WAY_NAMES}
    tuned = {way: float(record[f"tuned.position.{way}"][last].mean()) if is_over else np.nan for way in FREQUENCY_WAYS}
    inside = mean("plain", slice(0, N_INSIDE_BIN))
    read = {way: seeds.record[f"position.{way}"][:, last] for way in WAY_NAMES}
    return LengthExtrapolation(
        run=run,
        seeds=seeds,
        has_guess=inputs.guess != NOT_YET,
        is_over=is_over,
        is_told=is_over and inputs.guess != NOT_YET,
        blind=float(record["blind"]),
        names=dict(WAY_NAMES),
        ends_at={way: (float(one.mean(1).min()), float(one.mean(1).max())) for way, one in read.items()},
        inside=inside,
        after=after,
        end=end,
        tuned=tuned,
        best=min(end, key=end.__getitem__),
        best_clock=min(FREQUENCY_WAYS, key=end.__getitem__),
        best_tuned=min(tuned, key=tuned.__getitem__),
        bump=after["window"] - after["sinks"],
        outcome=_classify_losses(float(record["position.plain"][N_INSIDE_BIN]), inside, after["plain"], end["plain"])
        if is_over
        else None,
    )


def _classify_losses(first: float, inside: float, after: float, end: float) -> GuessOutcome:
    """Classify the losses right after the trained length, within it, in the 64 positions after it, and at the end."""
    last = end - inside
    if last < NEGLIGIBLE_CHANGE:
        return GuessOutcome("better" if last < -NEGLIGIBLE_CHANGE else "same")
    text = LABELS("outcome", inside=inside, after=after, end=end)
    return GuessOutcome("at_once" if first - inside > 0.7 * last else "slowly", text)


def draw(result: LengthExtrapolation, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the loss by training step; after the guess, by position."""
    if not result.is_told:
        curves = {LABELS["inside_curve"]: (run.record["step"], run.record["curve.inside"])}
        ui.curves(curves, y=ui.quantity_label(LABELS["loss"], LABELS["nats"]), n_step=run.n_step, height=320)
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
