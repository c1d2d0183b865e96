"""A needle in a text: told at some depth, and asked for at the end. Measured by length and by way of reading."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs as Base, Look, Result, Table, segmented
from core.rooms.long_texts.compute import ways
from core.rooms.long_texts.compute.ways import CLOCKS, WAYS
from core.rooms.long_texts.experiments import long_texts as experiment
from core.rooms.long_texts.experiments.long_texts import DEPTHS, LENGTHS, N_SIGN
from core.train.experiments.live import Live

TRAINED = "long-texts"
CODE = (experiment.Texts, experiment.share_found, ways.clocks, ways.Sinks)
TRAININGS = {"short": "as trained", "long": "after more steps on long texts"}


class Inputs(Base, prefix="needle_"):
    way: str = segmented("Read it", WAYS, "plain", look=Look())
    more: str = segmented("The weights", TRAININGS, "short", look=Look())


class Needles(Result):
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
        places = [(way, length, depth) for way in WAYS for length in LENGTHS for depth in DEPTHS]
        return {
            "read": [WAYS[way] for way, _, _ in places],
            "tokens": [length for _, length, _ in places],
            "depth": [depth for _, _, depth in places],
            "found": self.found[:, 0].ravel().round(4),
            "found after more steps": self.found[:, 1].ravel().round(4),
        }


def compute(inputs: Inputs, run: Live) -> Needles:
    """Return the fractions in the record."""
    none = np.full((len(LENGTHS), len(DEPTHS)), np.nan, np.float32)
    found = np.empty((len(WAYS), 2, *none.shape), np.float32)
    for i, way in enumerate(WAYS):
        found[i] = run.record.get(f"found.{way}", none)
        if way in CLOCKS:
            found[i, 1] = run.record.get(f"tuned.found.{way}", none)
    longest = {way: float(found[i, 0, -1].mean()) for i, way in enumerate(WAYS)}
    return Needles(
        found=found,
        is_over=bool(np.isfinite(found).all()),
        longest=longest,
        trained=float(found[0, 0, 0].mean()),
        best=max(longest, key=longest.__getitem__),
        names=dict(WAYS),
        n_token=LENGTHS[-1],
        trained_length=experiment.TRAINED,
        n_needle=experiment.N_NEEDLE,
        chance=1 / N_SIGN,
    )


def draw(result: Needles, inputs: Inputs, run: Live) -> None:
    """Draw the map of one way, and the result for the longest texts as text."""
    share = ui.along(result.found[:, :, -1].mean(-1).tolist(), inputs.way, inputs.more)
    name = ui.each(_name, inputs.way, inputs.more)
    ui.matrix(
        ui.along(result.found.swapaxes(2, 3), inputs.way, inputs.more),
        rows=[f"{depth:.0%}" for depth in DEPTHS],
        columns=[str(length) for length in LENGTHS],
        key="needle-map",
        limits=(0, 1),
        row_title="told after so much of the text",
        column_title="tokens of the text",
        value_title="share of needles found",
        empty_title="not known yet",
        label=name,
        takeaway=ui.over(lambda name, one: f"{name}: {one:.0%} found in texts of {LENGTHS[-1]} tokens.", name, share),
        height=360,
    )
    ui.facts(share=share, name=name)


def _name(way: str, more: str) -> str:
    return WAYS[way] + (", trained on" if way in CLOCKS and more == "long" else "")
