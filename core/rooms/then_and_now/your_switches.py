"""The switches as they stand in the picture, trained live: together, and beside what each of them does alone."""

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from core import ui
from core.exhibit import NOT_YET, seed
from core.exhibit import Inputs as Base
from core.inspect.block_differences import differences
from core.models import registry
from core.rooms.then_and_now.compute import effects, training
from core.rooms.then_and_now.compute.effects import Effect, Spread
from core.rooms.then_and_now.compute.switches import STARTS, STATES, THEN, TODAY, config, flipped, setting
from core.rooms.then_and_now.effects_chart import bands, error_bars
from core.rooms.then_and_now.experiments import your_switches as experiment
from core.rooms.then_and_now.experiments.your_switches import WITH, WITHOUT
from core.train.experiment import run_of
from core.train.experiments.live import Live

EXPERIMENT = "your-switches"
NEEDS_CHOICES = True  # what is trained is how the switches stand in the picture
# The ends of the axis: from the first, blind guess while it runs; then closer, where the two part.
WHILE_IT_RUNS, DONE = (1.5, 5.0), (1.5, 3.5)
SUM, TOGETHER = "added up", "together"
CODE = (experiment.YourSwitches, training.Switched, training.n_training_step, effects.added, effects.spread)


class Inputs(Base, prefix="switch_"):
    """Beside which block, how the switches stand, which seed."""

    start: str = experiment.Options.control("start")
    on: tuple[str, ...] = experiment.Options.control("on")
    seed: int = seed(label="First of three seeds", depth="numbers")


@dataclass(frozen=True)
class Result:
    """Both blocks as far as they are trained."""

    run: Live
    start: str
    states: tuple[str, ...]  # in which yours differs from it
    together: Spread  # change of the loss with all of them, in nats per character; each seed beside its own
    alone: tuple[Effect, ...]  # of each of them alone, as it was trained for the picture
    added: Spread  # the sum of these, seed by seed
    apart: Spread  # by how much the loss is higher together than this sum would make it
    luck: float  # the luck of the seeds makes that much of it
    noise: float  # a change of the loss below this may be the luck of the seeds; from all switches of that block

    @property
    def names(self) -> dict[str, str]:
        """What each setting is called."""
        whose = "all" if setting(self.start, *self.states) == setting(TODAY) else "your"
        many = f"with {whose} {len(self.states)} switches" if self.states else "the same again"
        return {WITHOUT: STARTS[self.start], WITH: f"with {self.alone[0].title}" if len(self.states) == 1 else many}

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
        """ "helps", "hurts", "noise"; or "same" where nothing was flipped."""
        if not self.states:
            return "same"
        if abs(self.together.mean) <= self.noise:
            return "noise"
        return "helps" if self.together.mean < 0 else "hurts"

    @property
    def is_compared(self) -> bool:
        """Whether several were trained, and as long as each of them was alone."""
        return len(self.states) > 1 and self.run.is_done and self.run.n_step == training.N_STEP

    @property
    def best(self) -> Effect:
        """That which alone lowers the loss most; of one switch at least."""
        return min(self.alone, key=lambda one: one.loss.mean)

    @property
    def sum_is(self) -> str:
        """What the single changes are, added up, to that of all together: "more", "less", or "same" within the luck."""
        if abs(self.apart.mean) <= self.luck:
            return "same"
        return "more" if self.apart.mean > 0 else "less"

    @property
    def differs(self) -> tuple[str, ...]:
        """What the changed block has that lesson 7's has not."""
        return differences(registry.empty(config(setting(self.start, *self.states), 2))) or ()

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
    """The change of the loss, each seed beside its own; and what each switch did alone."""
    start, every = str(run.options["start"]), run_of("all-switches")
    states = flipped(start, setting(THEN, *run.options["on"]))
    together = effects.final(run.record, WITH) - effects.final(run.record, WITHOUT)
    added = effects.added(every.record, start, states)
    apart = effects.spread(together - added)
    is_paired = run.seed == every.seed
    if not is_paired:  # other seeds: the errors of both
        apart = Spread(apart.mean, math.hypot(effects.spread(together).error, effects.spread(added).error))
    return Result(
        run,
        start,
        states,
        effects.spread(together),
        tuple(effects.effect(every.record, start, state) for state in states),
        effects.spread(added),
        apart,
        effects.luck(1 if is_paired else 2) * apart.error,
        effects.noise(effects.of_all(every.record, start)),
    )


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """Two curves with their bands, and what the difference says; of several switches, what each did alone."""
    spec = bands(
        run.record["step"],
        result.curves,
        x_title="work done, in steps of the block of 2017",
        y_title=ui.measured("loss", "nats per character"),
        n_step=run.n_step,
        y_limits=DONE if run.is_done else WHILE_IT_RUNS,
        mode=ui.color_mode(),
    )
    ui.chart(spec, alt=ui.words("alt"), key="switch-bands")
    if [*inputs.on] != [*run.options["on"]]:
        ui.say("next", titles=[STATES[one][1].name for one in flipped(inputs.start, setting(THEN, *inputs.on))])
    ui.say("now" if not run.is_done else result.verdict)
    if result.is_compared and run.is_example and ui.now("then_guess", NOT_YET) == NOT_YET:
        ui.say("later")  # it would tell what the picture above asks
    elif result.is_compared:
        rows = {one.title: one.loss for one in result.alone} | {SUM: result.added, TOGETHER: result.together}
        ui.write("**Each switch alone, and all together**")
        ui.chart(
            error_bars(
                [*rows],
                [one.mean for one in rows.values()],
                [one.error for one in rows.values()],
                result.noise,
                x_title=ui.measured("change of the loss", "nats per character"),
                mode=ui.color_mode(),
            ),
            alt=ui.words("alone-alt"),
            key="switch-alone",
        )
        ui.say(f"sum-{result.sum_is}")
    ui.say("seeds")
    ui.say("price")
