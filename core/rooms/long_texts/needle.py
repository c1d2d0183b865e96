"""A needle in a text: told at some depth, and asked for at the end. Measured by length and by way of reading."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, ViewChoice, segmented_control
from core.rooms.long_texts.compute import reading_ways
from core.rooms.long_texts.compute.reading_ways import FREQUENCY_WAYS, WAY_NAMES
from core.rooms.long_texts.experiments import long_texts as experiment
from core.rooms.long_texts.experiments.long_texts import N_SIGN, NEEDLE_DEPTHS, NEEDLE_LENGTHS
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "long-texts"
CODE = (experiment.NeedleTexts, experiment.needle_accuracy, reading_ways.scaled_rotary, reading_ways.SinkGPT)


class Inputs(Base, prefix="needle_"):
    way: str = segmented_control(WAY_NAMES, "plain", view=ViewChoice())
    more: str = segmented_control(("short", "long"), "short", view=ViewChoice())


class NeedleAccuracy(Result):
    """Fractions of needles found."""

    # (ways, 2, lengths, depths), as trained and after fine-tuning; nan while unknown. The two ways that read a window
    # were not fine-tuned, so their values are the same twice.
    found: NDArray[np.float32]
    is_over: bool  # True if everything is known
    longest: dict[str, float]  # way -> fraction found in the longest texts, over all depths, with the original weights
    trained: float  # fraction found in texts of the trained length, as trained
    best: str
    names: dict[str, str]
    n_token: int  # of the longest texts
    trained_length: int
    n_needle: int  # texts for each cell
    chance: float

    def table(self) -> Table:
        """Return one row per way, length and depth."""
        places = [(way, length, depth) for way in WAY_NAMES for length in NEEDLE_LENGTHS for depth in NEEDLE_DEPTHS]
        return {
            LABELS["way_column"]: [WAY_NAMES[way] for way, _, _ in places],
            LABELS["tokens_column"]: [length for _, length, _ in places],
            LABELS["depth_column"]: [depth for _, _, depth in places],
            LABELS["found_column"]: self.found[:, 0].ravel().round(4),
            LABELS["found_later_column"]: self.found[:, 1].ravel().round(4),
        }


def compute(inputs: Inputs, run: ExperimentRun) -> NeedleAccuracy:
    """Return the fractions in the record."""
    none = np.full((len(NEEDLE_LENGTHS), len(NEEDLE_DEPTHS)), np.nan, np.float32)
    found = np.empty((len(WAY_NAMES), 2, *none.shape), np.float32)
    for i, way in enumerate(WAY_NAMES):
        found[i] = run.record.get(f"found.{way}", none)
        if way in FREQUENCY_WAYS:
            found[i, 1] = run.record.get(f"tuned.found.{way}", none)
    longest = {way: float(found[i, 0, -1].mean()) for i, way in enumerate(WAY_NAMES)}
    return NeedleAccuracy(
        found=found,
        is_over=bool(np.isfinite(found).all()),
        longest=longest,
        trained=float(found[0, 0, 0].mean()),
        best=max(longest, key=longest.__getitem__),
        names=dict(WAY_NAMES),
        n_token=NEEDLE_LENGTHS[-1],
        trained_length=experiment.TRAINED_LENGTH,
        n_needle=experiment.N_NEEDLE,
        chance=1 / N_SIGN,
    )


def draw(result: NeedleAccuracy, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the map of one way, and the result for the longest texts as text."""
    share = ui.select_by_choice(result.found[:, :, -1].mean(-1).tolist(), inputs.way, inputs.more)
    name = ui.for_each_option(_name, inputs.way, inputs.more)
    ui.matrix(
        ui.select_by_choice(result.found.swapaxes(2, 3), inputs.way, inputs.more),
        rows=[f"{depth:.0%}" for depth in NEEDLE_DEPTHS],
        columns=[str(length) for length in NEEDLE_LENGTHS],
        key="needle-map",
        limits=(0, 1),
        row_title=LABELS["depth_axis"],
        column_title=LABELS["length_axis"],
        value_title=LABELS["share"],
        empty_title=LABELS["unknown"],
        label=name,
        takeaway=ui.map_choices(
            lambda name, one: LABELS("takeaway", way=name, share=one, n_token=NEEDLE_LENGTHS[-1]), name, share
        ),
        height=360,
    )
    ui.add_template_values(share=share, name=name)


def _name(way: str, more: str) -> str:
    is_tuned = way in FREQUENCY_WAYS and more == "long"
    return LABELS("trained_on", way=WAY_NAMES[way]) if is_tuned else WAY_NAMES[way]
