"""A block of 2017, one of today, nine switches between them, and the measured effect of each."""

import math

from core import ui
from core.data.localization.labels import module_labels
from core.data.localization.numbers import format_with_minus_sign
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, segmented_control
from core.rooms.then_and_now.compute import effects, switches, training
from core.rooms.then_and_now.compute.effects import SwitchEffect
from core.rooms.then_and_now.compute.switches import (
    CONTEXT,
    D_MODEL,
    N_LAYER,
    STARTS,
    SWITCH_STATES,
    SWITCHES,
    THEN,
    TODAY,
)
from core.rooms.then_and_now.effects_chart import draw_error_bars
from core.rooms.then_and_now.experiments.all_switches import setting_name
from core.rooms.then_and_now.experiments.your_switches import Options
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "all-switches"
GUESSES = {
    "place": LABELS["guess.place"],
    "feed-forward": LABELS["guess.feed-forward"],
    "positions": LABELS["guess.positions"],
    "queries": LABELS["guess.queries"],
    "training": LABELS["guess.training"],
}
VISIBLE = ("swiglu", "rope", "pre-norm")  # changes that are listed first
OPEN = "swiglu"  # its effect may be seen before the guess: it helps, and isn't the best
CODE = (
    switches.config,
    training.switch_trainer,
    training.steps_at_equal_work,
    effects.switch_effect,
    effects.seed_spread,
)


class Inputs(Base, prefix="then_"):
    guess: str = guess_control(GUESSES)
    start: str = segmented_control(STARTS, THEN, when=lambda i: i.guess != NOT_YET)
    on: tuple[str, ...] = Options.control("on")


class SwitchEffects(Result):
    """The effect of each switch on one of the two blocks; all losses in nats per character."""

    run: ExperimentRun
    is_told: bool
    effects: tuple[SwitchEffect, ...]  # largest reduction of the loss first
    first: tuple[SwitchEffect, ...]  # the same for the block of 2017
    by_state: dict[str, SwitchEffect]
    best: SwitchEffect  # the switch that reduces the loss of the block of 2017 most
    losses: dict[str, float]  # mean loss of each block without changes
    gap: float  # how much lower the loss of today's block is than that of 2017
    noise: float  # changes of the loss below this may be chance
    helping: list[str]  # titles of the switches that lower the loss beyond the noise
    hurting: list[str]  # titles of those that raise it
    untold: list[str]  # titles of those for which three seeds are inconclusive
    outcome: GuessOutcome

    def table(self) -> Table:
        """Return one row per switch; before a guess, without its effect on the loss."""
        rows = (
            self.effects if self.is_told else sorted(self.effects, key=lambda one: list(SWITCH_STATES).index(one.state))
        )
        found: Table = {
            LABELS["column.loss_change"]: [round(one.loss.mean, 4) for one in rows],
            LABELS["column.error"]: [round(one.loss.error, 4) for one in rows],
            LABELS["column.is_noise"]: [one.title in self.untold for one in rows],
        }
        return {
            LABELS["column.switch"]: [one.title for one in rows],
            LABELS["column.paper"]: [one.paper for one in rows],
            **(found if self.is_told else {}),
            LABELS["column.cache_before"]: [one.cache[0] for one in rows],
            LABELS["column.cache_after"]: [one.cache[1] for one in rows],
            LABELS["column.parameters"]: [one.parameters for one in rows],
            LABELS["column.speed"]: [round(one.speed, 3) for one in rows],
        }


def compute(inputs: Inputs, run: ExperimentRun) -> SwitchEffects:
    """Compare each switch with the block without it, seed by seed."""
    found, first = (effects.all_switch_effects(run.record, start) for start in (inputs.start, THEN))
    best, noise = first[0], effects.noise_band(found)
    losses = {start: float(effects.final_losses(run.record, setting_name(start)).mean()) for start in STARTS}
    switch = SWITCH_STATES[best.state][0]
    return SwitchEffects(
        run=run,
        is_told=inputs.guess != NOT_YET,
        effects=found,
        first=first,
        by_state={one.state: one for one in found},
        best=best,
        losses=losses,
        gap=losses[THEN] - losses[TODAY],
        noise=noise,
        helping=[one.title for one in found if one.loss.mean < -noise],
        hurting=[one.title for one in found if one.loss.mean > noise],
        untold=[one.title for one in found if abs(one.loss.mean) <= noise],
        outcome=GuessOutcome(
            switch if switch in GUESSES else "", LABELS("answer", part=SWITCHES[switch].title, state=best.title)
        ),
    )


def draw(result: SwitchEffects, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the block of 2017 and one with a change, with their losses; after a guess, the effect of each switch."""
    before, noise = result.losses[THEN], effects.noise_band(result.first)
    shown = {one.state: one for one in result.first if result.is_told or one.state == OPEN}
    texts = _effects_in_words(result.first) if result.is_told else {}
    ui.mount_widget(
        "two_blocks",
        switches=[
            {
                "name": name,
                "title": one.title,
                "today": one.today,
                "states": [
                    {
                        "name": state,
                        "title": about.title,
                        "alone": about.name,
                        "paper": about.paper,
                        **({} if state == one.then else _change(state, shown.get(state), before, noise)),
                        "found": texts.get(state, ""),
                    }
                    for state, about in one.states.items()
                ],
            }
            for name, one in SWITCHES.items()
        ],
        today={
            "alone": LABELS["all_nine"],
            "plain": LABELS["all_nine.plain"],
            "does": LABELS["all_nine.does"],
            "loss": result.losses[TODAY] if result.is_told else None,
            "change": -result.gap if result.is_told else None,
            "effect": ("all" if result.gap > noise else "all_luck") if result.is_told else "",
        },
        on=inputs.on,
        visible=VISIBLE,
        first=result.best.state if result.is_told else OPEN,  # shown alone until somebody chooses
        loss=before,
        most=math.ceil(2 * max(abs(one.loss.mean) for one in result.first)) / 2,
        is_asked=not ui.is_hidden(inputs.guess),
        n_layer=N_LAYER,
        hint=ui.section_text("hint"),
        click_sets={"on": inputs.on},
        label="",
        takeaway=ui.section_text("takeaway"),
        key="two-blocks",
        height=400,
    )
    if result.is_told:
        losses = {one.title: one.loss for one in result.effects}
        draw_error_bars(losses, result.noise, LABELS["flipped_2017" if inputs.start == THEN else "flipped_today"])
    # A lesson that hides the question asks it later.
    ui.add_template_values(
        is_asked=not ui.is_hidden(inputs.guess),
        n_choice=math.exp(before),
        n_layer=N_LAYER,
        d_model=D_MODEL,
        context=CONTEXT,
    )


def _change(state: str, found: SwitchEffect | None, before: float, noise: float) -> dict[str, object]:
    """Return what the picture shows of one change of the block of 2017, without its loss while that is hidden."""
    change = found.loss.mean if found else None
    is_luck = change is not None and abs(change) <= noise
    return {
        "plain": LABELS[f"plain.{state}"],
        "does": LABELS[f"does.{state}"],
        "change": change,
        "loss": None if change is None else before + change,
        "effect": "" if change is None else "luck" if is_luck else "gain" if change < 0 else "harm",
    }


def _effects_in_words(found: tuple[SwitchEffect, ...]) -> dict[str, str]:
    """Return state -> the effect of a switch on the block of 2017 as text, for the picture."""
    noise, texts = effects.noise_band(found), dict[str, str]()
    for one in found:
        key = "alone_in_noise" if abs(one.loss.mean) <= noise else "alone"
        texts[one.state] = LABELS(key, change=format_with_minus_sign(one.loss.mean, plus=True), error=one.loss.error)
    return texts
