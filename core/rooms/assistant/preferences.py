"""Pairs of answers of which one is preferred: what a reward model learns from them, and what DPO does to both."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.charts.race import race
from core.exhibit import NOT_YET, Came, Guessed, guess, seed
from core.exhibit import Inputs as Base
from core.rooms.assistant.compute import learning, objectives, reward_model
from core.rooms.assistant.experiments import preferences as task
from core.train.experiments.live import Live
from core.ui.numbers import signed

EXPERIMENT = "preferences"
GUESSES = {
    "up": "it rises, and the other falls",
    "down": "it falls, and the other falls further",
    "still": "it stays, and the other falls",
}
STILL = 0.25  # nats: a smaller move is none
NAMES = {"chosen": "preferred answers", "rejected": "the others"}
HEIGHT = 280
CODE = (objectives.bradley_terry, objectives.dpo, learning.draw_pairs, task.Preferences, reward_model.score)


class Inputs(Base, prefix="prefer_"):
    """A guess, the rule, beta and the seed."""

    guess: str = guess("DPO trains on pairs. What happens to the probability of the preferred answer?", GUESSES)
    rule: str = task.Options.control("rule")
    beta: float = task.Options.control("beta")
    seed: int = seed()


@dataclass(frozen=True)
class Result(Guessed):
    """Both as far as they are trained."""

    guesses = GUESSES
    run: Live
    guess: str

    @property
    def is_told(self) -> bool:
        return self.guess != NOT_YET

    def ends(self, what: str) -> tuple[float, float]:
        """A curve's first and newest value."""
        curve = self.run.record[f"curve.{what}"]
        return float(curve[0]), float(curve[-1])

    @property
    def moved(self) -> tuple[float, float]:
        """By how many nats the mean log probability moved, of the preferred answers and of the others."""
        chosen, rejected = (self.ends(f"dpo.{what}") for what in NAMES)
        return chosen[1] - chosen[0], rejected[1] - rejected[0]

    @property
    def came(self) -> Came | None:
        if not self.run.is_done:
            return None
        chosen, rejected = self.moved
        answer = "still" if abs(chosen) < STILL else "up" if chosen > 0 else "down"
        kept = "hardly a change" if answer == "still" else f"{signed(chosen, 1, plus=True)} nats"
        return Came(answer, f"{kept} for the preferred answers, {signed(rejected, 1, plus=True)} nats for the others")

    def table(self) -> dict[str, Any]:
        """By step; before a guess, the reward model's part."""
        record = self.run.record
        names = [name for name in record if name.startswith("curve.") and (self.is_told or ".reward." in name)]
        return {"step": record["step"]} | {name.removeprefix("curve."): record[name].round(4) for name in names}


def compute(inputs: Inputs, run: Live) -> Result:
    """The record, and whether it may be told."""
    return Result(run, inputs.guess)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """How well pairs are told apart; after a guess, what became of both answers."""
    record = run.record
    left, right = ui.pair("prefer-curves")
    judged = {"reward model": "reward"} | ({"DPO": "dpo"} if result.is_told else {})
    how: dict[str, Any] = {"n_step": run.n_step, "mode": ui.color_mode(), "height": HEIGHT}
    with left:
        curves = {name: (record["step"], record[f"curve.{of}.accuracy"]) for name, of in judged.items()}
        spec = race(
            curves, title=ui.words("title-told"), y_title="share of pairs told right", y_limits=(0, 1.05), **how
        )
        ui.chart(spec, alt=ui.words("alt-told"), key="prefer-told")
    if not result.is_told:
        ui.say("guess")
        return
    with right:
        both = {name: (record["step"], record[f"curve.dpo.{of}"]) for of, name in NAMES.items()}
        lowest = min(float(values.min()) for _, values in both.values())
        spec = race(
            both,
            title=ui.words("title-both"),
            y_title=ui.measured("mean log probability", "nats"),
            y_limits=(1.05 * lowest, 0),
            **how,
        )
        ui.chart(spec, alt=ui.words("alt-both"), key="prefer-both")
    if result.came is not None:
        ui.say("guessed")
    ui.say("ends")
