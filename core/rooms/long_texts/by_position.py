"""A model trained on 64 tokens reads 512: among how many letters it hesitates, as trained and with YaRN."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    ViewChoice,
    guess_control,
    seed,
    select,
)
from core.rooms.long_texts.compute import position_losses, reading_ways
from core.rooms.long_texts.compute.reading_ways import WAY_NAMES
from core.rooms.long_texts.experiments import long_texts as experiment
from core.rooms.long_texts.experiments.long_texts import BIN_SIZE, MAX_LENGTH, TRAINED_LENGTH
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "long-texts"
NEGLIGIBLE_CHANGE = 0.1  # nats: a smaller difference counts as no change
N_INSIDE_BIN = TRAINED_LENGTH // BIN_SIZE  # points of a curve within the trained length
PLAIN, YARN, NONE = "plain", "yarn", "none"
OTHERS = ("window", "sinks", "interpolation", "ntk")  # ways to compare with
CODE = (reading_ways.scaled_rotary, reading_ways.SinkGPT, experiment.letter_losses, experiment.LongTexts)


class Inputs(Base, prefix="long_"):
    guess: str = guess_control(("worse", "same", "some", "most"))
    other: str = select(
        {NONE: LABELS["other.none"]} | {way: WAY_NAMES[way] for way in OTHERS},
        NONE,
        view=ViewChoice(),
        when=lambda inputs: inputs.guess != NOT_YET,
    )
    seed: int = seed(depth="numbers")


class BeyondTraining(NamedTuple):
    """The course of the losses beyond the trained length, as trained."""

    change: Literal["better", "same", "slowly", "at_once"]


class LengthExtrapolation(Result):
    """The run so far; once it is finished, the mean losses of each way."""

    run: ExperimentRun
    is_over: bool
    is_told: bool
    blind: float  # the loss in nats of a model that only knows how often each letter occurs
    losses: Mapping[
        str, NDArray[np.float64]
    ]  # way -> (parts,) nats; a part has 64 positions, as many as a training text
    found: Mapping[str, float]  # way -> share of the needles found in the longest texts
    inside: float  # nats within the trained length, as trained
    after: Mapping[str, float]  # way -> nats in the 64 positions after the trained length
    end: Mapping[str, float]  # way -> nats in the last 64 of the 512 positions
    past: BeyondTraining | None
    outcome: GuessOutcome | None  # what YaRN changes at the end

    def letters(self, way: str) -> NDArray[np.float64]:
        """Return among how many letters it hesitates, the perplexity, (parts,)."""
        return np.exp(self.losses[way])

    @property
    def blind_letters(self) -> float:
        """The perplexity of a model that only knows how often each letter occurs."""
        return float(np.exp(self.blind))

    @property
    def places(self) -> list[str]:
        """The positions of each part."""
        return [f"{end - TRAINED_LENGTH + 1}–{end}" for end in range(TRAINED_LENGTH, MAX_LENGTH + 1, TRAINED_LENGTH)]

    def table(self) -> Table:
        """Return the perplexity of each way by position, without YaRN's before the guess; during the run its curve."""
        if not self.is_over:
            return {LABELS["step"]: self.run.record["step"], LABELS["loss"]: self.run.record["curve.inside"].round(4)}
        ways = [*WAY_NAMES] if self.is_told else [PLAIN]
        return {LABELS["position"]: self.places, **{WAY_NAMES[way]: self.letters(way).round(3) for way in ways}}


def compute(inputs: Inputs, run: ExperimentRun) -> LengthExtrapolation:
    """Return the means of the record."""
    record, is_over = run.record, position_losses.is_over(run.record)
    losses = position_losses.part_losses(record)
    after, end = ({way: float(of_way[part]) for way, of_way in losses.items()} for part in (1, -1))
    inside = float(losses[PLAIN][0])
    first = float(record[f"position.{PLAIN}"][N_INSIDE_BIN]) if is_over else np.nan  # right after the trained length
    return LengthExtrapolation(
        run=run,
        is_over=is_over,
        is_told=is_over and inputs.guess != NOT_YET,
        blind=float(record["blind"]),
        losses=losses,
        found={way: float(np.mean(record[f"found.{way}"][-1])) for way in WAY_NAMES} if is_over else {},
        inside=inside,
        after=after,
        end=end,
        past=_classify_losses(first, inside, end[PLAIN]) if is_over else None,
        outcome=GuessOutcome(classify_repair(*np.exp([inside, end[PLAIN], end[YARN]]))) if is_over else None,
    )


def _classify_losses(first: float, inside: float, end: float) -> BeyondTraining:
    """Classify the losses right after the trained length, within it, and at the end."""
    rise = end - inside
    if rise < NEGLIGIBLE_CHANGE:
        return BeyondTraining("better" if rise < -NEGLIGIBLE_CHANGE else "same")
    return BeyondTraining("at_once" if first - inside > 0.7 * rise else "slowly")


def classify_repair(inside: float, plain: float, repaired: float) -> str:
    """Classify which part of what is lost beyond the trained length comes back, in letters."""
    gain = plain - repaired
    if abs(gain) < 0.1 * plain:
        return "same"
    return "worse" if gain < 0 else "most" if gain > 0.5 * (plain - inside) else "some"


def draw(result: LengthExtrapolation, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the perplexity by position; as long as it trains, the loss by training step."""
    if not result.is_over:
        curve = (run.record["step"], run.record["curve.inside"])
        loss = ui.quantity_label(LABELS["loss"], LABELS["nats"])
        ui.curves({LABELS["inside_curve"]: curve}, y=loss, n_step=run.n_step, height=320)
        return
    shown = (PLAIN, YARN, *OTHERS) if result.is_told else (PLAIN,)
    ui.mount_widget(
        "reads_on",
        key="reads-on",
        ways=[{"key": way, "name": WAY_NAMES[way], "found": result.found[way]} for way in shown],
        letters=np.stack([result.letters(way) for way in shown]),  # (ways, parts)
        top=max(float(result.letters(way).max()) for way in WAY_NAMES),
        other=inputs.other,
        trained=TRAINED_LENGTH,
        takeaway=ui.section_text("takeaway"),
        height=420,
    )
