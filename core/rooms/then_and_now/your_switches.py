"""The current switches of the picture, trained live: all together, compared with each one alone."""

import math

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, Inputs as Base, Result, Table, seed
from core.inspect.block_differences import differences_from_lesson_block
from core.models import registry
from core.rooms.then_and_now import two_blocks
from core.rooms.then_and_now.compute import effects, training
from core.rooms.then_and_now.compute.effects import SeedSpread, SwitchEffect
from core.rooms.then_and_now.compute.switches import (
    STARTS,
    SWITCH_STATES,
    THEN,
    TODAY,
    config,
    flipped_states,
    make_setting,
)
from core.rooms.then_and_now.effects_chart import draw_error_bars
from core.rooms.then_and_now.experiments import your_switches as experiment
from core.rooms.then_and_now.experiments.your_switches import WITH, WITHOUT
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "your-switches"
NEEDS_CHOICES = True  # the current switches in the picture determine what is trained
# The ends of the axis: from the uniform loss while it runs; then narrower, to show the difference.
WHILE_IT_RUNS, DONE = (1.5, 5.0), (1.5, 3.5)
CODE = (
    experiment.YourSwitches,
    training.SwitchExperiment,
    training.steps_at_equal_work,
    effects.summed_changes,
    effects.seed_spread,
)


class Inputs(Base, prefix="switch_"):
    start: str = experiment.Options.control("start")
    on: tuple[str, ...] = experiment.Options.control("on")
    seed: int = seed(depth="numbers")


class FlippedSwitches(Result):
    """Both blocks in their current state of training; all changes of the loss in nats per character."""

    run: ExperimentRun
    states: tuple[str, ...]  # the states that differ from the start
    names: dict[str, str]  # of each setting
    together: SeedSpread  # change of the loss with all of them, paired by seed
    alone: tuple[SwitchEffect, ...]  # each of them alone, as trained for the picture
    best: SwitchEffect | None  # the one of these that lowers the loss most
    added: SeedSpread  # the sum of these, seed by seed
    noise: float  # changes of the loss below this may be chance; from all switches of that block
    verdict: str  # "helps", "hurts", "noise"; "same" if nothing was flipped
    sum_is: str  # the summed changes are "more" than all together, "less", or the "same" within chance
    is_compared: bool  # True if several were trained, each as long as when it was alone
    losses: dict[str, float]
    steps: dict[str, int]
    work: dict[str, int]  # multiply-adds of a whole run
    differs: tuple[str, ...]  # parts of the changed block that lesson 7's block lacks

    def table(self) -> Table:
        """Return the losses of all seeds by step."""
        record = self.run.record
        columns = {
            LABELS("seed_column", words=words, seed=self.run.seed + i): curve.round(4).tolist()
            for name, words in self.names.items()
            for i, curve in enumerate(record[f"curve.{name}"].T)
        }
        return {LABELS["step_column"]: record["step"].tolist(), **columns}


def compute(inputs: Inputs, run: ExperimentRun) -> FlippedSwitches:
    """Measure the change of the loss, paired by seed, and the effect of each switch alone."""
    record, start, every = run.record, str(run.options["start"]), run_experiment("all-switches")
    states = flipped_states(start, make_setting(THEN, *run.options["on"]))
    given = make_setting(start, *states)
    changes = effects.final_losses(record, WITH) - effects.final_losses(record, WITHOUT)
    sums = effects.summed_changes(every.record, start, states)
    together, added, apart = (
        effects.seed_spread(changes),
        effects.seed_spread(sums),
        effects.seed_spread(changes - sums),
    )
    is_paired = run.seed == every.seed
    # With different seeds, both errors count.
    luck = effects.chance_factor(1 if is_paired else 2) * (
        apart.error if is_paired else math.hypot(together.error, added.error)
    )
    noise = effects.noise_band(effects.all_switch_effects(every.record, start))
    alone = tuple(effects.switch_effect(every.record, start, state) for state in states)
    verdict = "noise" if abs(together.mean) <= noise else "helps" if together.mean < 0 else "hurts"
    if len(states) == 1:
        changed = LABELS("with_one", switch=alone[0].title)
    elif states:
        changed = LABELS("with_all" if given == make_setting(TODAY) else "with_yours", n_switch=len(states))
    else:
        changed = LABELS["same_again"]
    return FlippedSwitches(
        run=run,
        states=states,
        names={WITHOUT: STARTS[start], WITH: changed},
        together=together,
        alone=alone,
        best=min(alone, key=lambda one: one.loss.mean, default=None),
        added=added,
        noise=noise,
        verdict=verdict if states else "same",
        sum_is="same" if abs(apart.mean) <= luck else "more" if apart.mean > 0 else "less",
        is_compared=len(states) > 1 and run.is_done and run.n_step == training.N_STEP,
        losses={name: float(effects.final_losses(record, name).mean()) for name in (WITHOUT, WITH)},
        steps={name: int(record[f"steps.{name}"]) for name in (WITHOUT, WITH)},
        work={name: int(record[f"work.{name}"]) for name in (WITHOUT, WITH)},
        differs=differences_from_lesson_block(registry.build_empty(config(given, 2))) or (),
    )


def draw(result: FlippedSwitches, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw two curves with bands over their seeds and, for several switches, the effect of each alone."""
    curves = {words: run.record[f"curve.{name}"] for name, words in result.names.items()}  # (n, seeds)
    ui.curves(
        {name: (run.record["step"], curve.mean(1)) for name, curve in curves.items()},
        x=LABELS["work_axis"],
        y=ui.Axis(ui.quantity_label(LABELS["loss"], LABELS["nats"]), DONE if run.is_done else WHILE_IT_RUNS),
        n_step=run.n_step,
        bands={name: (curve.min(1), curve.max(1)) for name, curve in curves.items()},
        height=380,
    )
    # The comparison would give away the answer to the question above.
    is_later = (
        result.is_compared
        and run.is_example
        and ui.current_value(two_blocks.Inputs.control("guess"), NOT_YET) == NOT_YET
    )
    if result.is_compared and not is_later:
        rows = {one.title: one.loss for one in result.alone} | {
            LABELS["added_up"]: result.added,
            LABELS["together"]: result.together,
        }
        draw_error_bars(rows, result.noise, LABELS["each_alone"])
    ui.add_template_values(
        is_later=is_later,
        is_changed=[*inputs.on] != [*run.options["on"]],
        titles=[SWITCH_STATES[one][1].name for one in flipped_states(inputs.start, make_setting(THEN, *inputs.on))],
    )
