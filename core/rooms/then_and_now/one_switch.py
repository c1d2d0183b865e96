"""One switch, trained live: the block with it and without it, three seeds of each, equal work."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from core import ui
from core.inputs import Inputs as Base
from core.inputs import seed
from core.inspect.block_differences import differences
from core.models import registry
from core.rooms.then_and_now.compute import effects, training
from core.rooms.then_and_now.compute.effects import Effect
from core.rooms.then_and_now.compute.switches import STARTS, STATES, SWITCHES, config, setting
from core.rooms.then_and_now.effects_chart import bands
from core.rooms.then_and_now.experiments import one_switch as experiment
from core.rooms.then_and_now.experiments.one_switch import WITH, WITHOUT
from core.train.experiment import run_of
from core.train.experiments.live import Live

EXPERIMENT = "one-switch"
# The ends of the axis: from the first, blind guess while it runs; then closer, where the two part.
WHILE_IT_RUNS, DONE = (1.5, 5.0), (1.5, 3.5)
CODE = (experiment.OneSwitch, training.Switched, training.n_training_step, training.optimizer, effects.spread)


class Inputs(Base, prefix="switch_"):
    """Which block, which switch, which seed."""

    start: str = experiment.Options.control("start")
    state: str = experiment.Options.control("state")
    seed: int = seed(label="First of three seeds")


@dataclass(frozen=True)
class Result:
    """Both blocks as far as they are trained."""

    run: Live
    start: str
    state: str
    effect: Effect
    noise: float  # a change of the loss below this may be the luck of the seeds; from all switches of that block

    @property
    def title(self) -> str:
        return STATES[self.state][1].name

    @property
    def instead_of(self) -> str:
        """What stands there without the change."""
        switch = STATES[self.state][0]
        return SWITCHES[switch].states[setting(self.start)[switch]].name

    @property
    def names(self) -> dict[str, str]:
        """What each setting is called."""
        return {WITHOUT: f"{STARTS[self.start]} ({self.instead_of})", WITH: f"with {self.title}"}

    @property
    def curves(self) -> dict[str, NDArray[Any]]:
        return {words: self.run.record[f"curve.{name}"] for name, words in self.names.items()}

    @property
    def losses(self) -> dict[str, float]:
        return {name: float(effects.final(self.run.record, name).mean()) for name in (WITHOUT, WITH)}

    @property
    def steps(self) -> dict[str, int]:
        return {name: int(self.run.record[f"steps.{name}"]) for name in (WITHOUT, WITH)}

    @property
    def work(self) -> dict[str, int]:
        """Multiply-adds of a whole training."""
        return {name: int(self.run.record[f"work.{name}"]) for name in (WITHOUT, WITH)}

    @property
    def verdict(self) -> str:
        """ "helps", "hurts" or "noise"."""
        if abs(self.effect.loss.mean) <= self.noise:
            return "noise"
        return "helps" if self.effect.loss.mean < 0 else "hurts"

    @property
    def differs(self) -> tuple[str, ...]:
        """What the changed block has that lesson 7's has not."""
        return differences(registry.empty(config(setting(self.start, self.state), 2))) or ()

    def table(self) -> dict[str, list[Any]]:
        """The losses of all seeds by step."""
        first = self.run.seed
        columns = {
            f"{words}, seed {first + i}": curve[:, i].round(4)
            for words, curve in self.curves.items()
            for i in range(curve.shape[1])
        }
        return {"step": self.run.record["step"].tolist(), **{name: one.tolist() for name, one in columns.items()}}


def compute(inputs: Inputs, run: Live) -> Result:
    """The change of the loss, each seed beside its own."""
    start, state = (str(run.options[name]) for name in ("start", "state"))
    band = effects.noise(effects.of_all(run_of("all-switches").record, start))
    return Result(run, start, state, effects.effect(run.record, start, state, (WITHOUT, WITH)), band)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """Two curves with their bands, and what the difference says."""
    curves = result.curves
    spec = bands(
        run.record["step"],
        curves,
        x_title="work done, in steps of the block of 2017",
        y_title=ui.measured("loss", "nats per character"),
        n_step=run.n_step,
        y_limits=DONE if run.is_done else WHILE_IT_RUNS,
        mode=ui.color_mode(),
    )
    ui.chart(spec, alt=ui.words("alt"), key="switch-bands")
    ui.say("now" if not run.is_done else result.verdict)
    ui.say("seeds")
    ui.say("price")
