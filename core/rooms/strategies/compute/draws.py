"""Many real draws from one distribution, against the distribution itself."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray

from core.exhibit import Result
from core.generate.decode import inverse_cdf
from core.rooms.strategies.compute import columns
from core.rooms.strategies.compute.columns import Strategy

_CELLS_AT_ONCE = 2_000_000  # draws x vocabulary: 16 MB of cumulative sums


class Drawn(Result):
    """Frequencies of n draws."""

    n: int
    probabilities: Float[NDArray[np.float64], " V"]  # (V,) what was drawn from
    counts: Int[NDArray[np.int64], " V"]  # (V,) how often each token was drawn
    low: Float[NDArray[np.float64], " V"]  # (V,) ends of the 95% interval of each frequency
    high: Float[NDArray[np.float64], " V"]
    inside: Bool[NDArray[np.bool_], " V"]  # (V,) whether the true probability lies within the interval
    n_possible: int  # tokens that can be drawn
    n_drawn: int  # tokens that were drawn
    n_inside: int  # possible tokens whose interval holds the truth
    chi_square: float  # sum of (drawn - expected)^2 / expected over the cells; nan where there is one cell only
    cells: int  # tokens expected at least five times, and one cell for all the others
    p_value: float  # how often true draws would be at least as far off; nan where there is one cell only


def drawn_from(
    logits: Float[NDArray[np.float32], " V"], strategy: Strategy, ids: Sequence[int]
) -> Float[NDArray[np.float64], " V"]:
    """The probabilities that a strategy draws from; greedy: all of it on the likeliest token.

    Args:
        logits: (V,) of one place.
    """
    filtered = columns.filter_rows(torch.tensor(logits)[None], [strategy], [ids])[0]  # (V,)
    if strategy.kind == "greedy":
        probabilities = torch.zeros_like(filtered).scatter(0, filtered.argmax()[None], 1.0)
    else:
        probabilities = filtered.double().softmax(-1)
    return probabilities.numpy().astype(np.float64)


def draw_many(probabilities: Float[NDArray[np.float64], " V"], n: int, seed: int) -> Drawn:
    """Draw n tokens, each as `core.generate.decode` draws one, and count them.

    Args:
        probabilities: (V,) sum to 1.
        n: at least 1.
    """
    generator = torch.Generator().manual_seed(seed)
    draw = torch.rand(n, dtype=torch.float64, generator=generator)  # (n,)
    row = torch.as_tensor(np.asarray(probabilities, dtype=np.float64))
    counts = torch.zeros(len(row), dtype=torch.long)
    for part in draw.split(max(1, _CELLS_AT_ONCE // len(row))):
        token = inverse_cdf(row.expand(len(part), -1), part)
        counts += torch.bincount(token, minlength=len(row))
    counted = counts.numpy()
    low, high = wilson(counted, n)
    truth = row.numpy()
    inside, is_possible = (low <= truth) & (truth <= high), truth > 0
    statistic, cells, p_value = chi_square(counted, truth)
    return Drawn(
        n=n,
        probabilities=truth,
        counts=counted,
        low=low,
        high=high,
        inside=inside,
        n_possible=int(is_possible.sum()),
        n_drawn=int((counted > 0).sum()),
        n_inside=int((inside & is_possible).sum()),
        chi_square=statistic,
        cells=cells,
        p_value=p_value,
    )


def wilson(
    counts: Int[NDArray[np.int64], "*shape"], n: int, z: float = 1.959964
) -> tuple[Float[NDArray[np.float64], "*shape"], Float[NDArray[np.float64], "*shape"]]:
    """The interval of each frequency: of true probabilities that would not make it surprising.

    Unlike frequency +- z standard errors it stays within 0..1 and has a width for a token that was never drawn.

    Args:
        z: standard deviations; 1.96 for 95 %.

    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".
    """
    share = counts / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # Exactly 0 and 1 at the ends, which rounding would miss.
    return np.where(counts == 0, 0.0, middle - half), np.where(counts == n, 1.0, middle + half)


def chi_square(
    counts: Int[NDArray[np.int64], " V"], probabilities: Float[NDArray[np.float64], " V"], least: float = 5
) -> tuple[float, int, float]:
    """Pearson's test of counts against probabilities: (statistic, cells, p-value).

    Tokens expected fewer than `least` times share one cell; if that cell is too small itself, it takes in the smallest
    of the others. A token of probability 0 that was drawn makes the statistic infinite.

    Source: Pearson 1900; the rule of five is Cochran's (1954).
    """
    if counts[probabilities == 0].any():
        return math.inf, int((probabilities > 0).sum()), 0.0
    expected = probabilities * counts.sum()
    order = np.argsort(-expected, kind="stable")
    n_large = int((expected >= least).sum())
    if n_large < len(order) and 0 < expected[order[n_large:]].sum() < least:
        n_large -= 1
    large, rest = order[: max(0, n_large)], order[max(0, n_large) :]
    seen = np.append(counts[large], counts[rest].sum())
    wanted = np.append(expected[large], expected[rest].sum())
    seen, wanted = seen[wanted > 0], wanted[wanted > 0]
    if len(seen) < 2:
        return math.nan, len(seen), math.nan
    statistic = float(((seen - wanted) ** 2 / wanted).sum())
    half = torch.tensor([(len(seen) - 1) / 2, statistic / 2], dtype=torch.float64)
    return statistic, len(seen), float(torch.special.gammaincc(half[0], half[1]))
