"""The cost of a layer by length and width: multiply-adds, stored numbers, and measured time.

The formulas count only matrix products, because they are nearly all of the compute. Some of it is linear in the length
N (each token by itself, through the weights), the rest is quadratic in N (each pair of tokens).
"""

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy.optimize import nnls  # type: ignore[import-untyped]
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Table
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block

LABELS = module_labels(__name__)

FLOAT_BYTES = 4
_ROUNDING_SHARE = 1e-9  # a smaller fraction of every measured time is rounding error of the fit
TABLE_LENGTHS = tuple(2**k for k in range(4, 17))
_MAX_CELLS = 2**24  # heads x N x N: one such matrix is 67 MB, and a forward pass holds about three of them at once


@dataclass(frozen=True)
class LayerCost:
    """The multiply-adds of a layer on one text, part by part, and the number of weights and activations."""

    projections: int  # of queries, keys, values and the output
    scores: int  # each query times each key
    mixture: int  # each row of weights times the values
    feed_forward: int
    weight_numbers: int  # in the layer's matrices; independent of the length
    token_numbers: int  # activations for each token: linear in N
    pair_numbers: int  # scores and weights: a number for each pair of tokens in each head

    @property
    def linear(self) -> int:
        """The multiply-adds that are linear in N."""
        return self.projections + self.feed_forward

    @property
    def quadratic(self) -> int:
        """The multiply-adds that are quadratic in N."""
        return self.scores + self.mixture

    @property
    def total(self) -> int:
        return self.linear + self.quadratic


@dataclass(frozen=True)
class LayerTiming:
    """The time of a forward pass: the median of the repeats."""

    n_token: int
    seconds: float
    n_repeat: int


@dataclass(frozen=True)
class TimingFit:
    """The fitted curve seconds = fixed + per_token N + per_pair N^2, with no term below 0.

    The error is the root mean square of the relative difference between fit and measurement: 0.05 is 5 percent.
    """

    fixed: float
    per_token: float
    per_pair: float
    error: float

    def seconds(self, n_token: float) -> float:
        return self.fixed + self.per_token * n_token + self.per_pair * n_token**2

    @property
    def crossover(self) -> float:
        """The length at which the quadratic term takes as long as the linear one; inf if there is none."""
        return self.per_token / self.per_pair if self.per_pair > 0 else float("inf")


def layer_cost(n_token: int, d_model: int, n_head: int, d_ff: int | None = None) -> LayerCost:
    """Count the cost of a layer on a text of N tokens.

    The number of heads changes how many numbers are stored, but not the number of multiplications.

    d_ff: width of the feed-forward; 0: attention alone; None: 4 D.

    Source: Vaswani et al. 2017, table 1; Kaplan et al. 2020, table 1 (twice as many "operations", because a multiply
    and an add count as two there).
    """
    n, d = n_token, d_model
    f = 4 * d if d_ff is None else d_ff
    return LayerCost(
        projections=4 * n * d * d,
        scores=n * n * d,
        mixture=n * n * d,
        feed_forward=2 * n * d * f,
        weight_numbers=4 * d * d + 2 * d * f,
        # q, k, v, heads, out; the feed-forward's pre, act and out
        token_numbers=5 * n * d + (2 * n * f + n * d if f else 0),
        pair_numbers=2 * n_head * n * n,
    )


def crossover_length(d_model: int, d_ff: int | None = None) -> float:
    """Return the length above which pairs cost more multiply-adds than everything else: 2 D + F, or 6 D for F = 4 D.

    It is the solution of 2 N^2 D = 4 N D^2 + 2 N D F.
    """
    return 2 * d_model + (4 * d_model if d_ff is None else d_ff)


def lengths_to_measure(n_head: int, shortest: int = 16, longest: int = 4096) -> list[int]:
    """Return rising lengths, each about 1.5 times the one before, as far as the memory limit allows."""
    ladder = [16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096]
    return [n for n in ladder if shortest <= n <= longest and n_head * n * n <= _MAX_CELLS]


def time_layer_by_length(
    d_model: int, n_head: int, lengths: Sequence[int], *, whole_block: bool, seconds: float = 3.0, seed: int = 0
) -> Iterator[list[LayerTiming]]:
    """Time forward passes of a layer of `core.nn` in rounds over all lengths, and yield the medians after each round.

    Rounds make sure that a moment in which the machine is busy affects all lengths equally. The weights and the input
    are random, because their values do not change the time. The longest lengths are left out if a round over all of
    them would take more than a third of the time, but at least three are measured.

    Args:
        lengths: in rising order.
        whole_block: True times a `Block` with its norms and its feed-forward, False a `MultiHeadAttention` alone.
        seconds: total time.

    Raises ValueError if a length needs more memory than is allowed.
    """
    too_long = [n for n in lengths if n_head * n * n > _MAX_CELLS]
    if too_long:
        raise ValueError(
            f"{n_head} heads of {too_long[0]} x {too_long[0]} cells are {n_head * too_long[0] ** 2:,}, "
            f"more than the {_MAX_CELLS:,} that are measured"
        )
    generator = torch.Generator().manual_seed(seed)
    layer: nn.Module = Block(d_model, n_head) if whole_block else MultiHeadAttention(d_model, n_head)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(0.0, 0.02, generator=generator)
    end = time.perf_counter() + seconds
    inputs: dict[int, Tensor] = {}
    round_takes, last = 0.0, (0, 0.0)
    for n_token in lengths:
        if len(inputs) >= 3 and round_takes + 2 * last[1] * (n_token / last[0]) ** 2 > seconds / 3:
            break
        x = torch.randn(1, n_token, d_model, generator=generator)
        last = n_token, _time_once(layer, x)
        inputs[n_token], round_takes = x, round_takes + 2 * last[1]
    times: dict[int, list[float]] = {n_token: [] for n_token in inputs}
    while not times[lengths[0]] or time.perf_counter() + round_takes < end:
        for n_token, x in inputs.items():
            times[n_token].append(_time_once(layer, x))
        yield [LayerTiming(n_token, statistics.median(some), len(some)) for n_token, some in times.items()]


def layer_cost_by_length(
    d_model: int, n_head: int, d_ff: int | None = None, timings: Sequence[LayerTiming] = ()
) -> Table:
    """Return a table with a row for each length of `TABLE_LENGTHS` and each timed length.

    With at least three timed lengths, it has a column for the fitted curve.
    """
    clock = {timing.n_token: timing for timing in timings}
    fitted = fit_timings(timings) if len(timings) >= 3 else None
    lengths = sorted({*TABLE_LENGTHS, *clock})
    ladder = [layer_cost(n, d_model, n_head, d_ff) for n in lengths]
    return {
        LABELS["column.length"]: lengths,
        LABELS["column.projections"]: [cost.projections for cost in ladder],
        LABELS["column.feed_forward"]: [cost.feed_forward for cost in ladder],
        LABELS["column.scores"]: [cost.scores for cost in ladder],
        LABELS["column.mixture"]: [cost.mixture for cost in ladder],
        LABELS["column.pair_bytes"]: [FLOAT_BYTES * cost.pair_numbers for cost in ladder],
        LABELS["column.token_bytes"]: [FLOAT_BYTES * cost.token_numbers for cost in ladder],
        LABELS["column.weight_bytes"]: [FLOAT_BYTES * cost.weight_numbers for cost in ladder],
        LABELS["column.measured"]: [1000 * clock[n].seconds if n in clock else None for n in lengths],
        LABELS["column.fitted"]: [
            1000 * fitted.seconds(n) if fitted is not None and n in clock else None for n in lengths
        ],
    }


def _time_once(layer: nn.Module, x: Tensor) -> float:
    """Return the seconds of the second of two passes; the first pass allocates memory, so it is not counted."""
    with torch.inference_mode():
        layer(x)
        before = time.perf_counter()
        layer(x)
        return time.perf_counter() - before


def fit_timings(timings: Sequence[LayerTiming]) -> TimingFit:
    """Fit the curve a + b N + c N^2 to the measured times, with no term below 0.

    It minimizes the squared relative differences: times range from microseconds to a second, and short ones count as
    much as long ones. Raises ValueError if there are fewer than three lengths.

    Source: Lawson and Hanson 1974, chapter 23 (non-negative least squares), as implemented in SciPy.
    """
    if len(timings) < 3:
        raise ValueError(f"three lengths are needed for a curve of three terms; {len(timings)} were measured")
    n = np.array([timing.n_token for timing in timings], dtype=np.float64)
    terms = np.stack([np.ones_like(n), n, n**2], axis=1) / np.array([timing.seconds for timing in timings])[:, None]
    scale = terms.max(0)  # the columns differ by many powers of ten
    best = nnls(terms / scale, np.ones_like(n))[0] / scale
    best[(terms * best).max(0) < _ROUNDING_SHARE] = 0
    fixed, per_token, per_pair = best.tolist()
    return TimingFit(fixed, per_token, per_pair, float(np.sqrt(np.mean((terms @ best - 1) ** 2))))
