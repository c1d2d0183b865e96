"""For each budget the best size, a law through those, and then ten times the budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from core import ui
from core.charts import marks
from core.charts.plot import Layer, table
from core.exhibit import NOT_YET, Came, Guessed, custom, guess
from core.exhibit import Inputs as Base
from core.inspect.costs import model_cost, parameters
from core.rooms.sizes.compute.isoflop import BUDGETS, NEXT, Best, Run, n_training_step, profile, rough
from core.rooms.sizes.compute.isoflop_runs import Losses, recorded, runs
from core.rooms.sizes.compute.power_law import Law, Prediction, fit
from core.rooms.sizes.experiments import scaling

GUESSES = {"same": "as large as before", "three": "about three times as large", "ten": "about ten times"}
BETWEEN = (3**0.5, 30**0.5)  # halfway on a logarithmic scale
CODE = (n_training_step, model_cost.training, profile, fit)


NAMES = {budget: f"{budget / 1e9:.0f} billion" for budget in (*BUDGETS, NEXT)}
SIZE = ui.Axis(
    "parameters", (2_500, 520_000), format="~s", ticks=[m * 10**k for k in range(3, 6) for m in (1, 2, 5)], is_log=True
)


class Inputs(Base, prefix="flop_"):
    guess: str = guess("Ten times the work: how large is the best model then?", GUESSES)
    losses: Losses = custom("core.rooms.sizes.own_runs:measured", lambda _: recorded())


@dataclass(frozen=True)
class Dot:
    """A run that is done."""

    run: Run
    size: int  # parameters
    loss: float  # nats per character


@dataclass(frozen=True)
class Profiles(Guessed):
    """Losses by size for each budget; `guess`: `NOT_YET` hides those of the next."""

    guesses = GUESSES
    dots: tuple[Dot, ...]
    guess: str

    @property
    def is_hidden(self) -> bool:
        return self.guess == NOT_YET

    @cached_property
    def parabolas(self) -> Mapping[float, Law]:
        """Of each budget with runs enough."""
        found = {}
        for budget in (*BUDGETS, NEXT):
            mine = [dot for dot in self.dots if dot.run.budget == budget]
            if (law := profile([dot.size for dot in mine], [dot.loss for dot in mine])) is not None:
                found[budget] = law
        return found

    @cached_property
    def best(self) -> tuple[Best, ...]:
        """The lowest point of each parabola."""
        return tuple(
            Best(budget, lowest, law.loss(lowest))
            for budget, law in self.parabolas.items()
            if (lowest := law.lowest) is not None
        )

    @cached_property
    def laws(self) -> tuple[Law, Law] | None:
        """Best size and its loss over the budget, through all budgets but the next; None with too few."""
        known = [one for one in self.best if one.budget != NEXT]
        if len(known) < 3:
            return None
        budgets = [one.budget for one in known]
        return fit(budgets, [one.size for one in known], 1), fit(budgets, [one.loss for one in known], 1)

    @property
    def predicted(self) -> tuple[Prediction, Prediction] | None:
        """Best size and loss of the next budget."""
        return None if self.laws is None else (self.laws[0].predict(NEXT), self.laws[1].predict(NEXT))

    @property
    def exponent(self) -> float | None:
        """The best size grows as the budget to this power."""
        return None if self.laws is None else self.laws[0].coefficients[1]

    @property
    def landed(self) -> Best | None:
        """The next budget's, once it is measured and may be seen."""
        return None if self.is_hidden else next((one for one in self.best if one.budget == NEXT), None)

    @property
    def grown(self) -> float | None:
        """How many times as large the best model of the next budget is as that of the one before."""
        before = next((one for one in self.best if one.budget == max(BUDGETS)), None)
        return None if self.landed is None or before is None else self.landed.size / before.size

    @property
    def sizes(self) -> dict[str, str]:
        """Those that are read, with two digits: predicted, low, high, landed."""
        found = {}
        if self.predicted is not None:
            one = self.predicted[0]
            found = {"predicted": rough(one.value), "low": rough(one.low), "high": rough(one.high)}
        return found if self.landed is None else found | {"landed": rough(self.landed.size)}

    @property
    def came(self) -> Came | None:
        if self.grown is None:
            return None
        return Came(list(GUESSES)[sum(self.grown > limit for limit in BETWEEN)])

    @property
    def formula(self) -> str | None:
        if self.laws is None:
            return None
        (a, b), (c, d) = (law.coefficients for law in self.laws)
        return rf"\ln N_\text{{best}} = {a:.2f} {b:+.3f} \ln C, \qquad \ln L_\text{{best}} = {c:.2f} {d:+.3f} \ln C"

    def table(self) -> dict[str, list[Any]]:
        """One line for each run that may be seen."""
        seen = [dot for dot in self.dots if dot.run.budget != NEXT or not self.is_hidden]
        return {
            "multiply-adds": [dot.run.budget for dot in seen],
            "width": [dot.run.width for dot in seen],
            "parameters": [dot.size for dot in seen],
            "steps": [dot.run.n_step for dot in seen],
            "loss (nats per character)": [round(dot.loss, 3) for dot in seen],
        }


def compute(inputs: Inputs) -> Profiles:
    """The runs that are done, with their sizes."""
    vocab_size = scaling.text().tokenizer.vocab_size
    done = [(run, loss) for run, loss in zip(runs(), inputs.losses, strict=True) if loss is not None]
    dots = [Dot(run, parameters.count_config(scaling.config(run.width, vocab_size)).total, loss) for run, loss in done]
    return Profiles(tuple(dots), inputs.guess)


def draw(result: Profiles, inputs: Inputs) -> None:
    """A curve for each budget, its lowest point, and the line through these."""
    seen = {budget: law for budget, law in result.parabolas.items() if budget != NEXT or not result.is_hidden}
    dots = [dot for dot in result.dots if dot.run.budget != NEXT or not result.is_hidden]
    best = [one for one in result.best if one.budget in seen]
    alt = ui.words("alt", best=[(rough(one.size), one.budget / 1e9) for one in best])
    ui.plot(
        _profiles(dots, seen, best, result.predicted), x=SIZE, y=_loss(), names=[*NAMES.values()], height=400, alt=alt
    )
    ui.say("laws" if result.laws else "few")
    if result.landed is not None and result.predicted is not None:
        ui.say("landed", holds=result.predicted[0].holds(result.landed.size))
        ui.say("papers")


def _loss() -> ui.Axis:
    return ui.Axis(ui.measured("loss", "nats per character"), (1.15, 2.5), format=".2~f", is_log=True)


def _profiles(
    dots: Sequence[Dot],
    parabolas: Mapping[float, Law],
    best: Sequence[Best],
    predicted: tuple[Prediction, Prediction] | None,
) -> list[Layer]:
    """The runs, a curve for each budget with its lowest point, and the way to the one that is predicted."""
    runs_done = [(dot.size, dot.loss, NAMES[dot.run.budget], str(dot.run.width)) for dot in dots]
    curves = [
        (float(size), law.loss(float(size)), NAMES[budget])
        for budget, law in parabolas.items()
        for size in np.geomspace((law.lowest or 1) / 3.2, (law.lowest or 1) * 3.2, 40)
    ]
    lowest = [(one.size, one.loss, f"best of {NAMES[one.budget]}: {rough(one.size)}") for one in best]
    expected = []
    if predicted is not None:
        size, loss = predicted
        told = f"predicted for {NAMES[NEXT]}: {rough(size.value)} ({rough(size.low)} to {rough(size.high)})"
        expected.append((size.value, loss.value, told, size.low, size.high))
    way = [(one.size, one.loss) for one in best if one.budget != NEXT] + [one[:2] for one in expected]
    fields = ("size", "loss", "what", "low", "high")
    y_title, said = _loss().name, [("what", "size", "")]
    measured = [("budget", "", ""), ("width", "", ""), ("size", "parameters", ",d"), ("loss", y_title, ".3f")]
    next_best = table(expected, *fields)
    return [
        marks.line(table(curves, "size", "loss", "budget"), "size", "loss", "budget", strokeWidth=1.8),
        marks.line(table(way, "size", "loss"), "size", "loss", strokeDash=[2, 4], strokeWidth=1.5, color="ink"),
        marks.dot(
            table(runs_done, "size", "loss", "budget", "width"),
            "size",
            "loss",
            "budget",
            size=46,
            clip=True,
            tip=measured,
        ),
        marks.span(next_best, "loss", "low", "high", strokeWidth=4, opacity=0.5, color="accent", tip=said),
        marks.dot(next_best, "size", "loss", size=140, shape="square", filled=False, color="accent", tip=said),
        marks.dot(table(lowest, *fields[:3]), "size", "loss", size=130, shape="diamond", color="accent", tip=said),
    ]
