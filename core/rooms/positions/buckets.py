"""T5: each near distance has a bucket of its own; far distances share buckets."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, segmented_control, select, slider
from core.nn.positions import relative_buckets

LABELS = module_labels(__name__)

IntArray = NDArray[np.int64]
MAX_OFFSET = 300
WARM_UP = True


class Inputs(Base, prefix="bucket_"):
    sides: str = segmented_control(("past", "both"), "past")
    n_bucket: int = select((8, 16, 32, 64), 32, name="bucket_count")
    far: int = slider(40, 256, 128, step=8)


class Bucket(NamedTuple):
    """Offsets that share one learned number: key minus query from `low` to `high`."""

    number: int
    low: int
    high: int


class BucketRecord(Result):
    """The bucket of each offset, key minus query, from -300 to 300."""

    offsets: IntArray  # (601,)
    numbers: IntArray  # (601,) bucket numbers
    runs: tuple[Bucket, ...]  # runs of neighboring offsets in the same bucket
    each: int  # buckets on each side
    formula: str  # for a word 40 tokens back

    def arrays(self) -> dict[str, IntArray]:
        return {"key minus query": self.offsets, "bucket": self.numbers}

    def table(self) -> dict[str, Sequence[int]]:
        """Return one row per bucket."""
        columns = LABELS["table.bucket"], LABELS["table.from"], LABELS["table.to"]
        return dict(zip(columns, zip(*self.runs, strict=True), strict=True))


def bucket_by_offset(furthest: int, bidirectional: bool, n_bucket: int, max_distance: int) -> IntArray:
    """Return T5's bucket of every offset from -furthest to furthest: (2 furthest + 1,)."""
    offsets = torch.arange(-furthest, furthest + 1)
    found: IntArray = relative_buckets(offsets, bidirectional, n_bucket, max_distance).numpy()
    return found


def bucket_runs(numbers: IntArray, first: int) -> tuple[Bucket, ...]:
    """Return runs of neighboring offsets in the same bucket, in order; `numbers[0]` belongs to the offset `first`."""
    starts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    return tuple(Bucket(int(numbers[a]), first + a, first + b - 1) for a, b in pairwise(starts))


CODE = (relative_buckets, bucket_by_offset)


def compute(inputs: Inputs) -> BucketRecord:
    """Compute the bucket of every distance."""
    both = inputs.sides == "both"
    numbers = bucket_by_offset(MAX_OFFSET, both, inputs.n_bucket, inputs.far)
    each = inputs.n_bucket // 2 if both else inputs.n_bucket
    return BucketRecord(
        offsets=np.arange(-MAX_OFFSET, MAX_OFFSET + 1),
        numbers=numbers,
        runs=bucket_runs(numbers, -MAX_OFFSET),
        each=each,
        formula=_formula(each, inputs.far, int(numbers[MAX_OFFSET - 40])),
    )


def _formula(each: int, far: int, bucket: int) -> str:
    d, exact = 40, each // 2
    sizes = rf"N = {each} \qquad E = N/2 = {exact}"
    if d < exact:
        return rf"\begin{{gathered}} {sizes} \\[1ex] b({d}) = {bucket} \end{{gathered}}"
    share = np.log(d / exact) / np.log(far / exact) * (each - exact)
    return (
        rf"\begin{{gathered}} {sizes} \qquad M = {far} \\[1ex] b({d}) = \min\!\left({each - 1},\; "
        rf"{exact} + \left\lfloor {share:.3f} \right\rfloor\right) = {bucket} \end{{gathered}}"
    )


def draw(result: BucketRecord, inputs: Inputs) -> None:
    """Draw a staircase."""
    # Beyond M nothing changes, and a decoder puts all later words into one bucket.
    offsets, ahead = result.offsets, MAX_OFFSET if inputs.sides == "both" else 32
    drawn = (np.abs(offsets) <= inputs.far + 32) & (offsets <= ahead)
    staircase = {LABELS["bucket_axis"]: (offsets[drawn], result.numbers[drawn])}
    ui.curves(staircase, x=LABELS["offset_axis"], y=LABELS["bucket_axis"], is_staircase=True, at=0)
