"""A dense model and two mixtures at the same work for each token: who learns more, and who keeps its experts in use."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.curves import Reference
from core.charts.race import race
from core.exhibit import NOT_YET, Came, Guessed, guess
from core.exhibit import Inputs as Base
from core.inspect.costs import model_cost
from core.inspect.costs.parameters import count_config
from core.rooms.experts.compute.balance import load_balance
from core.rooms.experts.compute.published import idle
from core.rooms.experts.compute.routing import effective_number
from core.rooms.experts.experiments import routing as experiment
from core.rooms.experts.experiments.routing import LENGTH, MIXTURES, NAMES, config_of
from core.train.experiments.live import Live

TRAINED = "routing"
GUESSES = {
    "one": "send nearly all to one expert",
    "some": "let some experts starve",
    "same": "use all about alike",
}
COLLAPSED, EVEN = 1 / 3, 0.85  # of all experts; in use below the first: collapsed, above the second: in balance
IDLE = 0.02  # of the tokens; an expert with less is said to starve
CODE = (load_balance, experiment.objective, experiment.config_of, effective_number)


class Inputs(Base, prefix="work_"):
    """The guess; the training's button stands above."""

    guess: str = guess("Before you look: a router that is left alone, what will it do?", GUESSES)


@dataclass(frozen=True)
class Result(Guessed):
    """Three models as far as they are trained."""

    guesses = GUESSES
    run: Live
    guess: str  # `NOT_YET` hides the router that is left alone
    parameters: dict[str, tuple[int, int]]  # dense, experts: met by a token, in all
    work: dict[str, int]  # dense, experts: multiply-adds of one text

    @property
    def hidden(self) -> tuple[str, ...]:
        return ("free",) if self.guess == NOT_YET else ()

    @property
    def n_expert(self) -> int:
        return int(self.run.options["n_expert"])

    @property
    def losses(self) -> dict[str, float]:
        """Nats for each character, on text held out, now."""
        return {name: float(self.run.record[f"curve.{name}.loss"][-1]) for name in NAMES}

    @property
    def gain(self) -> float:
        """By how much the balanced experts' loss is below the dense model's."""
        return self.losses["dense"] - self.losses["balanced"]

    @property
    def by_balance(self) -> float:
        """By how much balance lowers the loss."""
        return self.losses["free"] - self.losses["balanced"]

    def sent(self, mixture: str) -> NDArray[np.float64]:
        """(n, L, E) how many tokens each expert was sent."""
        return np.asarray(self.run.record[f"frames.{mixture}.kinds"].sum(2), np.float64)

    def in_use(self, mixture: str) -> NDArray[np.float64]:
        """(n,) the effective number of experts, mean of the layers."""
        return effective_number(self.sent(mixture)).mean(-1)

    @property
    def used(self) -> dict[str, float]:
        return {mixture: float(self.in_use(mixture)[-1]) for mixture in MIXTURES}

    @property
    def starving(self) -> dict[str, int]:
        """Experts of both layers with hardly any tokens."""
        last = {mixture: self.sent(mixture)[-1] for mixture in MIXTURES}
        return {name: int((one / one.sum(-1, keepdims=True) < IDLE).sum()) for name, one in last.items()}

    @property
    def came(self) -> Came | None:
        if not self.run.is_done:
            return None
        share = self.used["free"] / self.n_expert
        answer = "one" if share < COLLAPSED else "some" if share < EVEN else "same"
        return Came(answer, f"{self.used['free']:.1f} of {self.n_expert} experts in use")

    def table(self) -> dict[str, Any]:
        """Losses and experts in use by step."""
        record = self.run.record
        shown = [name for name in NAMES if name not in self.hidden]
        return {
            "step": record["step"],
            **{f"loss: {NAMES[name]}": record[f"curve.{name}.loss"].round(4) for name in shown},
            **{f"in use: {NAMES[name]}": self.in_use(name).round(3) for name in shown if name in MIXTURES},
        }


def compute(inputs: Inputs, run: Live) -> Result:
    """The record, and what the models cost."""
    options = (int(run.options["n_expert"]), int(run.options["n_active"]), len(run.record["vocabulary"]))
    configs = {"dense": config_of("dense", *options), "experts": config_of("balanced", *options)}
    totals = {name: count_config(one).total for name, one in configs.items()}
    parameters = {name: (totals[name] - idle(one), totals[name]) for name, one in configs.items()}
    work = {name: model_cost.forward(one, LENGTH).total for name, one in configs.items()}
    return Result(run, inputs.guess, parameters, work)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The losses, and the experts in use."""
    record, hidden = run.record, [NAMES[name] for name in result.hidden]
    look: dict[str, Any] = {"n_step": run.n_step, "mode": ui.color_mode(), "hidden": hidden, "height": 300}
    order = (*MIXTURES, "dense")  # each mixture has one color in both pictures
    curves = {NAMES[name]: (record["step"], record[f"curve.{name}.loss"]) for name in order}
    in_use = {NAMES[name]: (record["step"], result.in_use(name)) for name in MIXTURES}
    low = min(float(record[f"curve.{name}.loss"].min()) for name in NAMES)
    # The first steps would flatten what comes after them.
    shown = record["step"] >= min(run.n_step // 5, run.step)
    high = float(record["curve.dense.loss"][shown].max())
    whole = Reference(result.n_expert, "all experts alike")
    left, right = ui.pair("work-curves")
    with left:
        spec = race(
            curves,
            title="Loss on text never seen",
            y_title=ui.measured("loss", "nats per character"),
            y_limits=(low - 0.05 * (high - low) - 1e-3, high + 1e-3),
            **look,
        )
        ui.chart(spec, alt=ui.words("losses"), key="work-losses")
    with right:
        spec = race(
            in_use,
            [whole],
            title="Experts in use",
            y_title="effective number",
            y_limits=(0, 1.15 * result.n_expert),
            **look,
        )
        ui.chart(spec, alt=ui.words("use"), key="work-use")
    ui.say("gain")
    ui.say("guess" if result.hidden else "balance")
    ui.say("in-use")
    ui.say("costs")
