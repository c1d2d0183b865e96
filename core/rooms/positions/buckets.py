"""T5: near distances have a bucket each, far ones share."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.charts.curves import Curve
from core.charts.lines import lines
from core.exhibit import Inputs as Base
from core.exhibit import segmented, select, slider
from core.nn.positions import relative_buckets

IntArray = NDArray[np.int64]
FURTHEST = 300
WARM_UP = True


class Inputs(Base, prefix="bucket_"):
    """Which words are read, and how finely their distances are told apart."""

    sides: str = segmented(
        "Which words are read", {"past": "The past (decoder)", "both": "Both sides (encoder)"}, "past"
    )
    n_bucket: int = select("Buckets", (8, 16, 32, 64), 32, name="bucket_count")
    far: int = slider("Everything is “far” from here on", 40, 256, 128, step=8)


@dataclass(frozen=True)
class Bucket:
    """Offsets that share one learned number: key minus query from `low` to `high`."""

    number: int
    low: int
    high: int


@dataclass(frozen=True)
class Buckets:
    """The bucket of each offset, key minus query, from -300 to 300."""

    numbers: IntArray  # (601,) of the buckets
    each: int  # buckets for each side
    far: int  # the distance from which on all share one

    @property
    def offsets(self) -> IntArray:
        return np.arange(-FURTHEST, FURTHEST + 1)

    @property
    def runs(self) -> tuple[Bucket, ...]:
        return runs_of(self.numbers, -FURTHEST)

    @property
    def widest(self) -> Bucket:
        return max(self.runs, key=lambda one: (one.number != 0, one.high - one.low))

    @property
    def formula(self) -> str:
        """For a word 40 tokens back."""
        d, exact, bucket = 40, self.each // 2, int(self.numbers[FURTHEST - 40])
        sizes = rf"N = {self.each} \qquad E = N/2 = {exact}"
        if d < exact:
            return rf"\begin{{gathered}} {sizes} \\[1ex] b({d}) = {bucket} \end{{gathered}}"
        share = np.log(d / exact) / np.log(self.far / exact) * (self.each - exact)
        return (
            rf"\begin{{gathered}} {sizes} \qquad M = {self.far} \\[1ex] b({d}) = \min\!\left({self.each - 1},\; "
            rf"{exact} + \left\lfloor {share:.3f} \right\rfloor\right) = {bucket} \end{{gathered}}"
        )

    def arrays(self) -> dict[str, IntArray]:
        return {"key minus query": self.offsets, "bucket": self.numbers}

    def table(self) -> dict[str, list[Any]]:
        """One line for each bucket."""
        return {
            "bucket": [one.number for one in self.runs],
            "key minus query from": [one.low for one in self.runs],
            "to": [one.high for one in self.runs],
        }


def by_offset(furthest: int, bidirectional: bool, n_bucket: int, max_distance: int) -> IntArray:
    """T5's bucket of every offset from -furthest to furthest: (2 furthest + 1,)."""
    offsets = torch.arange(-furthest, furthest + 1)
    found: IntArray = relative_buckets(offsets, bidirectional, n_bucket, max_distance).numpy()
    return found


def runs_of(numbers: IntArray, first: int) -> tuple[Bucket, ...]:
    """Neighboring offsets of equal bucket, in order; `numbers[0]` is that of the offset `first`."""
    starts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    return tuple(Bucket(int(numbers[a]), first + a, first + b - 1) for a, b in pairwise(starts))


CODE = (relative_buckets, by_offset)


def compute(inputs: Inputs) -> Buckets:
    """The bucket of every distance."""
    both = inputs.sides == "both"
    numbers = by_offset(FURTHEST, both, inputs.n_bucket, inputs.far)
    return Buckets(numbers, inputs.n_bucket // 2 if both else inputs.n_bucket, inputs.far)


def draw(result: Buckets, inputs: Inputs) -> None:
    """A staircase."""
    ui.say("each")
    # Beyond M nothing happens, and a decoder's later words are all in one bucket.
    offsets, ahead = result.offsets, FURTHEST if inputs.sides == "both" else 32
    drawn = (np.abs(offsets) <= inputs.far + 32) & (offsets <= ahead)
    spec = lines(
        [Curve("bucket", offsets[drawn].tolist(), result.numbers[drawn].tolist())],
        x_title="key minus query (tokens)",
        y_title="bucket",
        mode=ui.color_mode(),
        height=320,
        steps=True,
        marked=0,
    )
    ui.chart(spec, key="bucket-steps", alt=ui.words("steps", first=offsets[drawn][0], last=offsets[drawn][-1]))
