"""A thousand real draws against the probabilities that they come from."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts import marks
from core.charts.plot import Layer, table
from core.data.printable import visible
from core.exhibit import NothingToShow, Result, seed, segmented, several, slider
from core.generate import decode
from core.inspect.reading.model_and_text import vocabulary
from core.rooms.strategies import spelling
from core.rooms.strategies.compute import draws
from core.rooms.strategies.compute.draws import Drawn
from core.rooms.strategies.inputs import Place

N_SHOWN = 7
MOST = 4  # more bars cannot be told apart
MOST_CELLS = 60_000_000  # draws x vocabulary: half a second of cumulative sums
NUMBERS = {100: "100", 1_000: "1,000", 10_000: "10,000"}
TEMPERATURE = "temperature"
# What can be chosen -> how it is spelled; the temperature has its own slider.
SPELLED = {
    "softmax": "softmax",
    TEMPERATURE: "t{t:g}",
    "top-k 5": "k5",
    "top-p 0.9": "p0.9",
    "min-p 0.1": "m0.1",
    "typical 0.5": "y0.5",
    "greedy": "greedy",
}
CODE = (draws.drawn_from, draws.draw_many, decode.inverse_cdf, draws.wilson, draws.chi_square)


def _numbers(inputs: Any) -> list[int]:
    """How many draws the vocabulary allows."""
    return [n for n in NUMBERS if n * len(vocabulary(inputs.given.key)) <= MOST_CELLS] or [100]


class Inputs(Place, prefix="draws_"):
    strategies: tuple[str, ...] = several(
        "Strategies", list(SPELLED), ("softmax", TEMPERATURE, "top-p 0.9"), name="draws_ways"
    )
    n: int = segmented("Draws", _numbers, lambda i: min(1_000, _numbers(i)[-1]), labels=NUMBERS, heading="")
    t: float = slider("Temperature of “temperature”", 0.05, 5.0, 2.0, step=0.05)
    seed: int = seed()


class Draws(Result):
    """Real draws with several strategies."""

    found: Mapping[str, Drawn]  # by the names of the strategies
    likeliest: NDArray[np.int64]  # the model's most probable tokens
    vocabulary: tuple[str, ...]  # (V,) printable
    p: float  # the smallest p-value

    def table(self) -> dict[str, Any]:
        order = np.argsort(-next(iter(self.found.values())).probabilities, kind="stable")
        table: dict[str, Any] = {"id": order, "token": [self.vocabulary[i] for i in order]}
        for name, one in self.found.items():
            table[f"{name}: probability"] = one.probabilities[order]
            table[f"{name}: drawn of {one.n}"] = one.counts[order]
            table[f"{name}: 95% from"] = one.low[order]
            table[f"{name}: 95% to"] = one.high[order]
        return table


def compute(inputs: Inputs) -> Draws:
    """Each strategy makes its own probabilities of the logits; then real draws, and how far chance may carry them."""
    if not inputs.strategies:
        raise NothingToShow("Choose at least one strategy to see its draws.")
    found = {}
    for name in inputs.strategies[:MOST]:
        strategy = spelling.parse_column(SPELLED[name].format(t=inputs.t)).strategy
        probabilities = draws.drawn_from(inputs.logits, strategy, inputs.ids)
        found[f"{name} {inputs.t:g}" if name == TEMPERATURE else name] = draws.draw_many(
            probabilities, inputs.n, inputs.seed
        )
    return Draws(
        found=found,
        likeliest=np.argsort(-inputs.logits, kind="stable")[:N_SHOWN],
        vocabulary=inputs.vocabulary,
        p=min((one.p_value for one in found.values() if one.cells > 1), default=1.0),
    )


def draw(result: Draws, inputs: Inputs) -> None:
    """Bars of what should come, dots of what came, and whether the two agree."""
    ui.facts(most=MOST)
    names, tokens = list(result.found), [visible(result.vocabulary[i]) for i in result.likeliest]
    ui.plot(
        _layers(result, tokens),
        x=ui.Axis("probability, and share of the draws"),
        y=ui.Axis(labels=tokens, is_code=True),
        names=names,
        legend="square" if len(names) > 1 else None,
        height=(26 if len(names) == 1 else 14 * len(names)) * len(tokens),
        alt=f"{inputs.n:,} draws of {', '.join(result.found)} after “{inputs.before}”: probability and share drawn of "
        f"{len(result.likeliest)} tokens.",
    )


def _layers(result: Draws, tokens: Sequence[str]) -> list[Layer]:
    """For each token a bar of each strategy, and on it the dot of what was drawn with its interval."""
    rows = [
        (row, tokens[row], name, *map(float, (one.probabilities[i], one.counts[i] / one.n, one.low[i], one.high[i])))
        for row, i in enumerate(result.likeliest)
        for name, one in result.found.items()
    ]
    columns = table(rows, "row", "token", "name", "true", "drawn", "low", "high")
    tip = [
        ("token", "", ""),
        ("name", "strategy", ""),
        ("true", "probability", ".4f"),
        ("drawn", "share drawn", ".4f"),
        ("low", "95 % from", ".4f"),
        ("high", "95 % to", ".4f"),
    ]
    looks = {name: (i, i) for i, name in enumerate(result.found)}
    return [
        marks.bar(columns, "true", "row", "name", offset="name", opacity=0.55, tip=tip),
        marks.span(columns, "row", "low", "high", offset="name"),
        marks.dot(
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
