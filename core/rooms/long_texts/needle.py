"""A needle in a text: told at some depth, asked for at the end. Who finds it, by length and by way of reading?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import Look, segmented
from core.rooms.long_texts.compute import ways
from core.rooms.long_texts.compute.ways import CLOCKS, WAYS
from core.rooms.long_texts.experiments import long_texts as experiment
from core.rooms.long_texts.experiments.long_texts import DEPTHS, LENGTHS, N_SIGN
from core.train.experiments.live import Live

TRAINED = "long-texts"
CODE = (experiment.Texts, experiment.share_found, ways.clocks, ways.Sinks)
TRAININGS = {"short": "as trained", "long": "after more steps on long texts"}
AT = ("needle_way", "needle_more")


class Inputs(Base, prefix="needle_"):
    """How the text is read."""

    way: str = segmented("Read it", WAYS, "plain", look=Look())
    more: str = segmented("The weights", TRAININGS, "short", look=Look())


@dataclass(frozen=True)
class Result:
    """Shares of needles found.

    Attributes:
        found: (ways, 2, lengths, depths), as trained and after more steps; nan while it is not known. The two that
            read a window were not trained on: theirs stay.
        is_over: whether all is known.
    """

    found: NDArray[np.float32]
    is_over: bool

    @property
    def longest(self) -> dict[str, float]:
        """Way -> share found in the longest texts, over all depths, no weight changed."""
        return {way: float(self.found[i, 0, -1].mean()) for i, way in enumerate(WAYS)}

    @property
    def longest_more(self) -> dict[str, float]:
        """The same after more steps."""
        return {way: float(self.found[i, 1, -1].mean()) for i, way in enumerate(WAYS)}

    @property
    def trained(self) -> float:
        """Share found in texts of the trained length, as trained."""
        return float(self.found[0, 0, 0].mean())

    @property
    def best(self) -> str:
        return max(self.longest, key=self.longest.__getitem__)

    @property
    def names(self) -> dict[str, str]:
        return dict(WAYS)

    def table(self) -> dict[str, Any]:
        """One line for each way, length and depth."""
        places = [(way, length, depth) for way in WAYS for length in LENGTHS for depth in DEPTHS]
        return {
            "read": [WAYS[way] for way, _, _ in places],
            "tokens": [length for _, length, _ in places],
            "depth": [depth for _, _, depth in places],
            "found": self.found[:, 0].ravel().round(4),
            "found after more steps": self.found[:, 1].ravel().round(4),
        }


def compute(inputs: Inputs, run: Live) -> Result:
    """What the record has."""
    none = np.full((len(LENGTHS), len(DEPTHS)), np.nan, np.float32)
    found = []
    for way in WAYS:
        now = run.record.get(f"found.{way}", none)
        found.append([now, run.record.get(f"tuned.found.{way}", none) if way in CLOCKS else now])
    array = np.array(found, dtype=np.float32)
    return Result(array, bool(np.isfinite(array).all()))


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The map of one way, and the longest texts in words."""
    if not result.is_over:
        ui.say("running")
    found = ui.along(result.found.swapaxes(2, 3), *AT)
    share = ui.along(result.found[:, :, -1].mean(-1).tolist(), *AT)
    names = ui.along([[WAYS[way], f"{WAYS[way]}{', trained on' if way in CLOCKS else ''}"] for way in WAYS], *AT)
    ui.matrix(
        found,
        rows=[f"{depth:.0%}" for depth in DEPTHS],
        columns=[str(length) for length in LENGTHS],
        key="needle-map",
        limits=(0, 1),
        row_title="told after so much of the text",
        column_title="tokens of the text",
        value_title="share of needles found",
        empty_title="not known yet",
        label=names,
        takeaway=ui.over(lambda name, one: f"{name}: {one:.0%} found in texts of {LENGTHS[-1]} tokens.", names, share),
        height=360,
    )
    if not result.is_over:
        return
    ui.say("share", share=share, name=names, n=LENGTHS[-1])
    ui.say("read", n=LENGTHS[-1], trained_length=experiment.TRAINED)
    ui.say("task", chance=1 / N_SIGN, n=experiment.N_NEEDLE)
