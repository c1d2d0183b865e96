"""Attention is not explanation: equal accuracy, other maps, and heads whose weight does not tell what they do."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core import ui
from core.charts.race import race
from core.data.synthetic import referents
from core.exhibit import NOT_YET, Came, Guessed, guess, seed
from core.exhibit import Inputs as Base
from core.inspect import patch
from core.rooms.heads_at_work.compute import naming
from core.rooms.heads_at_work.compute.naming import Naming, Weighed
from core.rooms.heads_at_work.experiments import explanation as task
from core.rooms.heads_at_work.experiments.explanation import MODELS
from core.rooms.heads_at_work.scatter_chart import Points, scatter
from core.rooms.heads_at_work.sentence import ENDING, FIRST_NOUN, SECOND_NOUN, of_it, say_if_same, sentence_of
from core.train.experiment import rebuild
from core.train.experiments.live import Live
from core.train.experiments.naming import ReferentExperiment, config

EXPERIMENT = "explanation"
GUESSES = {
    "weight": "one that reads the right noun most",
    "other": "one that reads it less",
    "none": "it makes no difference",
}
STRONG = 0.9  # weight on the right noun from which a head is said to read it
LITTLE = 0.01  # nats; a smaller rise is no difference


class Inputs(Base, prefix="explain_"):
    """A guess, the training, and a sentence."""

    guess: str = guess("Before you look: which head will be missed most when it is off?", GUESSES)
    ending: str = ENDING
    seed: int = seed()
    n_head: int = task.Options.control("n_head")
    first: str = FIRST_NOUN
    second: str = SECOND_NOUN


@dataclass(frozen=True)
class Result(Guessed):
    """Three models alike but for their seeds, by name."""

    guesses = GUESSES
    run: Live
    guess: str  # `NOT_YET` hides what is lost without the heads
    readings: Mapping[str, Naming]  # what each model makes of the sentence
    # its heads in the sentences held out: where they look, and what is lost without them
    weighed: Mapping[str, Weighed]

    @property
    def right(self) -> list[float]:
        """Share of right answers of each by now."""
        return [float(self.run.record[f"curve.{name}.accuracy"][-1]) for name in MODELS]

    @property
    def apart(self) -> list[float]:
        """Of each layer: the share of weight that two models, averaged over their heads, put on different words."""
        rows = [reading.rows.mean(1) for reading in self.readings.values()]
        pairs = [*combinations(rows, 2)]
        return [
            float(np.mean([total_variation(one[layer], other[layer]) for one, other in pairs])) for layer in range(2)
        ]

    def all(self, what: str) -> NDArray[np.float64]:
        """Of all heads of all models: "right", "other" or "rise", see `Weighed`."""
        return np.concatenate([getattr(weighed, what).ravel() for weighed in self.weighed.values()])

    @property
    def worst(self) -> int:
        """Of all heads, the one whose loss rises most without it."""
        return int(self.all("rise").argmax())

    @property
    def worst_name(self) -> str:
        """The same as "a 0.3": model, layer and head."""
        return [name for one, weighed in self.weighed.items() for name in _points(one, weighed).names][self.worst]

    @property
    def came(self) -> Came:
        right, rise = (float(self.all(what)[self.worst]) for what in ("right", "rise"))
        answer = "none" if rise < LITTLE else "weight" if right > STRONG else "other"
        return Came(answer, f"{self.worst_name}, which reads it with {right:.2f}")

    def table(self) -> dict[str, list[Any]]:
        """One line for each head of each model: where it looks, beside what is lost without it."""
        points = {name: _points(name, weighed) for name, weighed in self.weighed.items()}
        return {
            "head": [name for one in points.values() for name in one.names],
            "weight on the right noun": self.all("right").tolist(),
            "rise of the loss without it": self.all("rise").tolist(),
        }


def kendall(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b: do two lists of numbers rank the same things alike?

    The share of pairs on which the lists agree which is larger, less the share on which they do not: 1 is the same
    ranking, -1 the opposite one, 0 no relation. Equal pairs count neither way; the largest value is adapted to them.

    Returns:
        Tau, or nan where all numbers of a list are equal.

    Raises:
        ValueError: if the lists differ in length.

    Source: Kendall 1945; used to compare attention with other measures of importance in Jain and Wallace 2019
    (1902.10186), section 4.1.
    """
    from scipy import stats  # type: ignore[import-untyped]  # here, because it takes half a second to import

    return float(stats.kendalltau(x, y).statistic)


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """How much of the weight lies elsewhere in two rows of attention: 0 is the same row, 1 nothing in common.

    Half the sum of the absolute differences; for two rows that sum to 1, the share that has to be moved to make one
    into the other.

    Source: Jain and Wallace 2019, equation 2.
    """
    return float(np.abs(np.asarray(p, dtype=np.float64) - np.asarray(q, dtype=np.float64)).sum() / 2)


CODE = (task.Explanation, ReferentExperiment, naming.weigh, patch.rise_without_each, kendall)


def model_of(run: Live, name: str) -> Any:
    """A trained model."""
    return rebuild(run.record, name, config(n_head=int(run.options["n_head"])))


def compute(inputs: Inputs, run: Live) -> Result:
    """For each head: how much "it" looks at the right noun, and by how much the loss rises without the head."""
    models, held_out = {name: model_of(run, name) for name in MODELS}, referents.split(run.seed)[1]
    return Result(
        run,
        inputs.guess,
        {name: naming.name_it(model, sentence_of(inputs)) for name, model in models.items()},
        {name: naming.weigh(model, held_out) for name, model in models.items()},
    )


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """Three models trained alike, their maps, and weight against effect."""
    say_if_same(inputs)
    ui.say("maps")
    for layer, place in enumerate(ui.pair("explain-maps")):
        with place:
            _map(result, inputs, layer)
    if inputs.guess == NOT_YET:
        ui.say("later")
    else:
        _weight_against_effect(result, inputs)
    if ui.at_least("numbers"):
        _curves(result, run)


def _curves(result: Result, run: Live) -> None:
    now = ", ".join(f"model {name} {right:.0%}" for name, right in zip(MODELS, result.right, strict=True))
    curves = race(
        {f"model {name}": (run.record["step"], run.record[f"curve.{name}.accuracy"]) for name in MODELS},
        y_title="share of right answers",
        n_step=run.n_step,
        mode=ui.color_mode(),
        y_limits=(0, 1.05),
        height=260,
    )
    ui.chart(curves, alt=f"Accuracy by training step. After step {run.step}: {now}.", key="explain-curves")


def _map(result: Result, inputs: Inputs, layer: int) -> None:
    """The row of "it" in one layer's heads of the three models."""
    rows = {name: reading.rows[layer] for name, reading in result.readings.items()}
    sentence, parts = sentence_of(inputs), [(f"{name}.", model_of(result.run, name), layer) for name in MODELS]
    ui.matrix(
        np.concatenate([*rows.values()]),
        rows=[f"{name}:{layer}.{head}" for name in rows for head in range(len(rows[name]))],
        columns=referents.tokens(sentence),
        key=f"explain-map-{layer}",
        row_title="model: head (layer.head)",
        column_title="word that “it” looks at",
        selected=(0, referents.right_place(sentence)),
        label=f"Layer {layer} of all three: where “it” looks",
        height=200,
        badge=of_it(parts, sentence, result.run, "models a, b and c of this exhibit"),
    )


def _weight_against_effect(result: Result, inputs: Inputs) -> None:
    """The scatter with its correlation, and what both sides of the dispute say to it."""
    right, other, rise = (result.all(what) for what in ("right", "other", "rise"))
    tau, worst, strong = kendall(right, rise), result.worst, right > STRONG
    points = {name: _points(name, weighed) for name, weighed in result.weighed.items()}
    missed: dict[str, Any] = {"head": result.worst_name, "weight": right[worst], "rise": rise[worst]}
    spec = scatter(
        {f"model {name}": group for name, group in points.items()},
        x_title="weight of “it” on the right noun",
        y_title=ui.measured("rise of the loss without this head", "nats"),
        x_limits=(0, 1),
        mode=ui.color_mode(),
        height=220,
    )
    harmless = max(float(rise[strong].max(initial=0)), 0.0)
    ui.say("missed", **missed, n_strong=int(strong.sum()), harmless=harmless, n=len(right))
    ui.say("measured", **missed, other=other[worst], tau=tau)
    ui.say("sides")
    ui.chart(spec, alt=ui.words("scatter", n=len(right), tau=tau, **missed), key="explain-scatter")


def _points(name: str, weighed: Weighed) -> Points:
    names = [f"{name} {layer}.{head}" for layer, head in np.ndindex(weighed.right.shape)]
    return Points(names, weighed.right.ravel().tolist(), weighed.rise.ravel().tolist())
