"""A thousand random draws compared with the probabilities they come from."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray

from core import ui
from core.charts import marks
from core.charts.plot import ChartLayer, columns_from_rows
from core.data.localization.labels import module_labels
from core.data.printable import visible_token
from core.exhibit import Column, NothingToShow, Result, Table, multi_select, seed, segmented_control, slider
from core.generate import decode
from core.generate.decode import inverse_cdf
from core.inspect.model_inputs.model_and_text import model_vocabulary
from core.rooms.strategies import spelling
from core.rooms.strategies.compute import columns
from core.rooms.strategies.compute.columns import Strategy
from core.rooms.strategies.inputs import PromptPlace

_CELLS_AT_ONCE = 2_000_000  # draws x vocabulary: 16 MB of cumulative sums


class DrawCounts(Result):
    """Frequencies in n draws."""

    n: int
    probabilities: Float[NDArray[np.float64], " V"]  # (V,) the distribution of the draws
    counts: Int[NDArray[np.int64], " V"]  # (V,) how often each token was drawn
    low: Float[NDArray[np.float64], " V"]  # (V,) ends of the 95% interval of each frequency
    high: Float[NDArray[np.float64], " V"]
    inside: Bool[NDArray[np.bool_], " V"]  # (V,) True if the true probability lies within the interval
    n_possible: int  # tokens that can be drawn
    n_drawn: int  # tokens that were drawn
    n_inside: int  # possible tokens whose interval contains the true probability
    chi_square: float  # sum of (drawn - expected)^2 / expected over the cells; nan if there is only one cell
    cells: int  # tokens expected at least five times, and one cell for all the others
    p_value: float  # probability that true draws deviate at least this much; nan if there is only one cell


def strategy_probabilities(
    logits: Float[NDArray[np.float32], " V"], strategy: Strategy, ids: Sequence[int]
) -> Float[NDArray[np.float64], " V"]:
    """Return the distribution that a strategy samples from; for greedy, all probability on the most probable token.

    Args:
        logits: (V,) at one position.
    """
    filtered = columns.filter_rows(torch.tensor(logits)[None], [strategy], [ids])[0]  # (V,)
    if strategy.kind == "greedy":
        probabilities = torch.zeros_like(filtered).scatter(0, filtered.argmax()[None], 1.0)
    else:
        probabilities = filtered.double().softmax(-1)
    return probabilities.numpy().astype(np.float64)


def draw_many(probabilities: Float[NDArray[np.float64], " V"], n: int, seed: int) -> DrawCounts:
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
    low, high = wilson_interval(counted, n)
    truth = row.numpy()
    inside, is_possible = (low <= truth) & (truth <= high), truth > 0
    statistic, cells, p_value = chi_square_test(counted, truth)
    return DrawCounts(
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


def wilson_interval(
    counts: Int[NDArray[np.int64], "*shape"], n: int, z: float = 1.959964
) -> tuple[Float[NDArray[np.float64], "*shape"], Float[NDArray[np.float64], "*shape"]]:
    """Return the interval of each frequency: the true probabilities with which it would not be surprising.

    Unlike frequency +- z standard errors it stays within 0..1, and has a width for a token that was never drawn.

    Args:
        z: standard deviations; 1.96 for 95 %.

    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".
    """
    share = counts / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # Set exactly to 0 and 1 at the ends, which rounding would miss.
    return np.where(counts == 0, 0.0, middle - half), np.where(counts == n, 1.0, middle + half)


def chi_square_test(
    counts: Int[NDArray[np.int64], " V"], probabilities: Float[NDArray[np.float64], " V"], least: float = 5
) -> tuple[float, int, float]:
    """Compute Pearson's test of counts against probabilities: (statistic, cells, p-value).

    Tokens expected fewer than `least` times share one cell; if that cell is too small itself, it absorbs the smallest
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


N_SHOWN = 7
MAX_STRATEGIES = 4  # more bars cannot be distinguished
MOST_CELLS = 60_000_000  # draws x vocabulary: half a second of cumulative sums
DRAW_COUNTS = {100: "100", 1_000: "1,000", 10_000: "10,000"}
TEMPERATURE = "temperature"
# Option -> its spelling; the temperature has its own slider.
STRATEGY_SPELLINGS = {
    "softmax": "softmax",
    TEMPERATURE: "t{t:g}",
    "top_k": "k5",
    "top_p": "p0.9",
    "min_p": "m0.1",
    "typical": "y0.5",
    "greedy": "greedy",
}
LABELS = module_labels(__name__)
CODE = (strategy_probabilities, draw_many, decode.inverse_cdf, wilson_interval, chi_square_test)


def _numbers(inputs: "Inputs") -> list[int]:
    """Return the numbers of draws that the vocabulary's size allows."""
    return [n for n in DRAW_COUNTS if n * len(model_vocabulary(inputs.given.key)) <= MOST_CELLS] or [100]


class Inputs(PromptPlace, prefix="draws_"):
    strategies: tuple[str, ...] = multi_select(
        tuple(STRATEGY_SPELLINGS), ("softmax", TEMPERATURE, "top_p"), name="draws_ways"
    )
    n: int = segmented_control(_numbers, lambda i: min(1_000, _numbers(i)[-1]), labels=DRAW_COUNTS, heading="")
    t: float = slider(0.05, 5.0, 2.0, step=0.05)
    seed: int = seed()


class StrategyDraws(Result):
    """Random draws with several strategies."""

    found: Mapping[str, DrawCounts]  # by strategy
    names: Mapping[str, str]  # by strategy: its label, with the value of the temperature
    likeliest: NDArray[np.int64]  # the model's most probable tokens
    vocabulary: tuple[str, ...]  # (V,) printable
    p: float  # the smallest p-value

    def table(self) -> Table:
        order = np.argsort(-next(iter(self.found.values())).probabilities, kind="stable")
        table: dict[str, Column] = {"id": order, LABELS["token"]: [self.vocabulary[i] for i in order]}
        for name, one in zip(self.names.values(), self.found.values(), strict=True):
            table[LABELS("table.probability", name=name)] = one.probabilities[order]
            table[LABELS("table.drawn", name=name, n=one.n)] = one.counts[order]
            table[LABELS("table.low", name=name)] = one.low[order]
            table[LABELS("table.high", name=name)] = one.high[order]
        return table


def compute(inputs: Inputs) -> StrategyDraws:
    """Sample from each strategy's distribution, and test how far chance alone may carry the counts."""
    if not inputs.strategies:
        raise NothingToShow(LABELS["no_strategy"])
    found = {}
    for key in inputs.strategies[:MAX_STRATEGIES]:
        strategy = spelling.parse_column(STRATEGY_SPELLINGS[key].format(t=inputs.t)).strategy
        probabilities = strategy_probabilities(inputs.logits, strategy, inputs.ids)
        found[key] = draw_many(probabilities, inputs.n, inputs.seed)
    names = {key: LABELS[f"strategies.{key}"] for key in found}
    if TEMPERATURE in names:
        names[TEMPERATURE] = LABELS("temperature_with_value", t=inputs.t)
    return StrategyDraws(
        found=found,
        names=names,
        likeliest=np.argsort(-inputs.logits, kind="stable")[:N_SHOWN],
        vocabulary=inputs.vocabulary,
        p=min((one.p_value for one in found.values() if one.cells > 1), default=1.0),
    )


def draw(result: StrategyDraws, inputs: Inputs) -> None:
    """Draw bars of the expected frequencies, dots of the observed ones, and whether the two agree."""
    ui.add_template_values(most=MAX_STRATEGIES)
    names, tokens = list(result.names.values()), [visible_token(result.vocabulary[i]) for i in result.likeliest]
    ui.plot(
        _layers(result, tokens),
        x=ui.Axis(LABELS["probability_axis"]),
        y=ui.Axis(labels=tokens, is_code=True),
        names=names,
        legend="square" if len(names) > 1 else None,
        height=(26 if len(names) == 1 else 14 * len(names)) * len(tokens),
        alt=LABELS("alt", n=inputs.n, names=", ".join(names), before=inputs.before, n_shown=len(result.likeliest)),
    )


def _layers(result: StrategyDraws, tokens: Sequence[str]) -> list[ChartLayer]:
    """Return for each token a bar per strategy, and on it a dot of the observed frequency with its interval."""
    rows = [
        (row, tokens[row], name, *map(float, (one.probabilities[i], one.counts[i] / one.n, one.low[i], one.high[i])))
        for row, i in enumerate(result.likeliest)
        for name, one in zip(result.names.values(), result.found.values(), strict=True)
    ]
    columns = columns_from_rows(rows, "row", "token", "name", "true", "drawn", "low", "high")
    tip = [
        ("token", LABELS["token"], ""),
        ("name", LABELS["strategy"], ""),
        ("true", LABELS["probability"], ".4f"),
        ("drawn", LABELS["share_drawn"], ".4f"),
        ("low", LABELS["interval.from"], ".4f"),
        ("high", LABELS["interval.to"], ".4f"),
    ]
    looks = {name: (i, i) for i, name in enumerate(result.names.values())}
    return [
        marks.bar_layer(columns, "true", "row", "name", offset="name", opacity=0.55, tip=tip),
        marks.horizontal_interval_layer(columns, "row", "low", "high", offset="name"),
        marks.dot_layer(
            columns,
            "drawn",
            "row",
            offset="name",
            size=26,
            color="ink",
            tip=tip,
            more=marks.shape_by_name("name", looks),
        ),
    ]
