"""Which way of telling positions is best? Six models are trained live on one task, and judged beyond what they saw."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core import ui
from core.charts.race import race
from core.exhibit import NOT_YET, Came, Guessed, guess, seed
from core.exhibit import Inputs as Base
from core.nn.positions import POSITIONS
from core.rooms.positions.experiments import contest as experiment
from core.rooms.positions.experiments.contest import LONGEST, NAMES, TRAINED
from core.train.experiments.live import Live

EXPERIMENT = "contest"
# Those that go beyond the trained length at all.
GUESSES = {name: NAMES[name] for name in ("sinusoidal", "rotary", "alibi", "relative")}
CODE = (experiment.Contest, experiment.accuracy, experiment.recipe)


class Inputs(Base, prefix="contest_"):
    """The task, the seed, and the guess."""

    task: str = experiment.Options.control("task")
    back: int = experiment.Options.control("back")
    seed: int = seed()
    guess: str = guess(
        "Before you look: which one stays best beyond the trained length, at positions 33 to 64?", GUESSES
    )


@dataclass(frozen=True)
class Result(Guessed):
    """Six models as far as they are trained; what they do beyond that length once there has been a guess."""

    guesses = GUESSES
    run: Live
    guess: str

    @property
    def is_over(self) -> bool:
        return f"position.{POSITIONS[0]}" in self.run.record

    @property
    def is_told(self) -> bool:
        return self.is_over and self.guess != NOT_YET

    @property
    def means(self) -> dict[str, tuple[float, ...]]:
        """Scheme -> mean accuracy up to the trained length, in as many tokens after it, and in the rest; nan: none."""
        cuts = (slice(0, TRAINED), slice(TRAINED, 2 * TRAINED), slice(2 * TRAINED, LONGEST))
        by_scheme = {name: self.run.record[f"position.{name}"] for name in POSITIONS}
        return {
            name: tuple(float(np.nanmean(at[cut])) if np.isfinite(at[cut]).any() else np.nan for cut in cuts)
            for name, at in by_scheme.items()
        }

    @property
    def best(self) -> str:
        return max(self.means, key=lambda name: np.nan_to_num(self.means[name][1]))

    @property
    def came(self) -> Came | None:
        if not self.is_over:
            return None
        words = f"{NAMES[self.best]}, with {self.means[self.best][1]:.0%}"
        return Came(self.best if self.best in GUESSES else "", words)

    def table(self) -> dict[str, Any]:
        """Right answers at each position; before that may be told, those up to the trained length by training step."""
        record = self.run.record
        if self.is_told:
            found = {NAMES[s]: record[f"position.{s}"].round(4) for s in POSITIONS}
            return {"position": list(range(1, LONGEST + 1)), **found}
        return {"step": record["step"], **{NAMES[s]: record[f"curve.{s}.inside"].round(4) for s in POSITIONS}}


def compute(inputs: Inputs, run: Live) -> Result:
    """The record, and whether it may be told."""
    return Result(run, inputs.guess)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """Accuracy by training step; then, after a guess, by position."""
    record = run.record
    shape: dict[str, Any] = {"y_title": "share of right answers", "mode": ui.color_mode(), "y_limits": (0, 1.02)}
    ui.say(inputs.task, n_symbol=experiment.N_SYMBOL)
    if not result.is_told or ui.at_least("numbers"):
        curves = {NAMES[s]: (record["step"], record[f"curve.{s}.inside"]) for s in POSITIONS}
        ui.chart(race(curves, n_step=run.n_step, **shape), alt=ui.words("by-step"))
    if not result.is_told:
        ui.say("guess" if result.is_over else "after")
        return
    curves = {NAMES[s]: (np.arange(LONGEST), record[f"position.{s}"]) for s in POSITIONS}
    spec = race(curves, x_title="position of the token that asks", n_step=LONGEST, **shape)
    ui.chart(spec, alt=ui.words("by-position"))
    ui.say("means", names=NAMES, n=TRAINED, longest=LONGEST)
    ui.say("guessed")
