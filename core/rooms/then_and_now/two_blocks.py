"""A block of 2017, one of today, nine switches between them, and what each of them did when it was trained."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, guess, segmented
from core.exhibit import Inputs as Base
from core.rooms.then_and_now.blocks_widget import two_blocks
from core.rooms.then_and_now.compute import effects, switches, training
from core.rooms.then_and_now.compute.effects import Effect
from core.rooms.then_and_now.compute.switches import (
    CONTEXT,
    D_MODEL,
    N_LAYER,
    STARTS,
    STATES,
    SWITCHES,
    THEN,
    TODAY,
)
from core.rooms.then_and_now.effects_chart import error_bars
from core.rooms.then_and_now.experiments.all_switches import name_of
from core.rooms.then_and_now.experiments.your_switches import Options
from core.train.experiments.live import Live
from core.ui.numbers import in_bytes, signed

TRAINED = "all-switches"
GUESSES = {
    "place": "norms before each part",
    "feed-forward": "another feed-forward",
    "positions": "other positions",
    "queries": "normalized queries and keys",
    "training": "another optimizer",
}
CODE = (switches.config, training.trainer, training.n_training_step, effects.effect, effects.spread)


class Inputs(Base, prefix="then_"):
    """A guess, the block to begin with, and how the second block stands in the picture."""

    guess: str = guess("Before you look: which one switch lowers the loss of the 2017 block most?", GUESSES)
    start: str = segmented("Flip one switch in", STARTS, THEN, when=lambda i: i.guess != NOT_YET)
    on: tuple[str, ...] = Options.control("on")


@dataclass(frozen=True)
class Result(Guessed):
    """What each switch did, to one of the two blocks."""

    guesses = GUESSES
    run: Live
    guess: str  # `NOT_YET` hides what would tell
    start: str
    effects: tuple[Effect, ...]  # the one that lowers the loss most first
    first: tuple[Effect, ...]  # the same of the block of 2017

    @property
    def is_told(self) -> bool:
        return self.guess != NOT_YET

    @property
    def best(self) -> Effect:
        """That which lowers the loss of the block of 2017 most."""
        return self.first[0]

    @property
    def came(self) -> Came:
        switch = STATES[self.best.state][0]
        return Came(switch if switch in GUESSES else "", f"{SWITCHES[switch].title}: {self.best.title}")

    def loss(self, start: str) -> float:
        """The mean loss of a block as it is."""
        return float(effects.final(self.run.record, name_of(start)).mean())

    @property
    def gap(self) -> float:
        """By how much the loss of today's block is lower than that of 2017."""
        return self.loss(THEN) - self.loss(TODAY)

    @property
    def noise(self) -> float:
        """A change of the loss below this may be the luck of the seeds."""
        return effects.noise(self.effects)

    def is_noise(self, one: Effect) -> bool:
        """Whether three seeds cannot say that this switch did anything to the loss."""
        return abs(one.loss.mean) <= self.noise

    @property
    def helping(self) -> list[str]:
        """Titles of the switches that lower the loss beyond the noise."""
        return [one.title for one in self.effects if one.loss.mean < -self.noise]

    @property
    def hurting(self) -> list[str]:
        """Titles of those that raise it beyond the noise."""
        return [one.title for one in self.effects if one.loss.mean > self.noise]

    @property
    def untold(self) -> list[str]:
        """Titles of those of which three seeds cannot tell."""
        return [one.title for one in self.effects if self.is_noise(one)]

    def of(self, state: str) -> Effect:
        return next(one for one in self.effects if one.state == state)

    def table(self) -> dict[str, list[Any]]:
        """A line for each switch; before a guess, without what it did to the loss."""
        rows = self.effects if self.is_told else sorted(self.effects, key=lambda one: list(STATES).index(one.state))
        found: dict[str, list[Any]] = {
            "change of the loss (nats per character)": [round(one.loss.mean, 4) for one in rows],
            "standard error": [round(one.loss.error, 4) for one in rows],
            "within the noise": [self.is_noise(one) for one in rows],
        }
        return {
            "switch": [one.title for one in rows],
            "paper": [one.paper for one in rows],
            **(found if self.is_told else {}),
            "cache before (bytes per token)": [one.cache[0] for one in rows],
            "cache after": [one.cache[1] for one in rows],
            "more parameters": [one.parameters for one in rows],
            "speed of training (times)": [round(one.speed, 3) for one in rows],
        }


def compute(inputs: Inputs, run: Live) -> Result:
    """Each switch beside the block without it, seed by seed."""
    found = {start: effects.of_all(run.record, start) for start in STARTS}
    return Result(run, inputs.guess, inputs.start, found[inputs.start], found[THEN])


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The blocks and their switches; after a guess, what each of them did."""
    band = effects.noise(result.first)
    two_blocks(
        ui.chosen("then_on"),
        says={name: ui.words(name) for name in SWITCHES},
        found={one.state: _found(one, abs(one.loss.mean) <= band) for one in result.first} if result.is_told else {},
        hint=ui.words("hint"),
        key="two-blocks",
        label="",
        takeaway=ui.words("takeaway"),
    )
    if not result.is_told:
        if not ui.is_hidden("then_guess"):  # a lesson that hides the question asks it later
            ui.say("guess")
        return
    ui.say("best")
    ui.write(f"**One switch flipped in {STARTS[inputs.start]}**")
    ui.chart(
        error_bars(
            [one.title for one in result.effects],
            [one.loss.mean for one in result.effects],
            [one.loss.error for one in result.effects],
            result.noise,
            x_title=ui.measured("change of the loss", "nats per character"),
            mode=ui.color_mode(),
        ),
        alt=ui.words("alt"),
        key="then-effects",
    )
    ui.say("noise")
    ui.say("table", rows=[_row(one, result.is_noise(one)) for one in result.effects])
    ui.say("held", n_step=run.n_step, n_layer=N_LAYER, d_model=D_MODEL, context=CONTEXT)


def _found(one: Effect, is_noise: bool) -> str:
    """What a switch did to the block of 2017, for the picture."""
    found = f"Alone in the block of 2017: {signed(one.loss.mean, plus=True)} ± {one.loss.error:.2f}"
    return f"{found}, within the noise." if is_noise else f"{found}."


def _row(one: Effect, is_noise: bool) -> dict[str, str]:
    """A line of the table, in words."""
    before, after = one.cache
    return {
        "title": one.title if is_noise else f"★ {one.title}",
        "loss": f"{signed(one.loss.mean, plus=True)} ± {one.loss.error:.2f}",
        "cache": "the same" if before == after else f"{in_bytes(before)} → {in_bytes(after)}",
        "speed": f"×\u00a0{one.speed:.2f}",
    }
