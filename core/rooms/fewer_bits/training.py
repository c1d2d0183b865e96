"""Two bits: a model that is rounded after its training, and one that was trained with rounded weights."""

import math
from dataclasses import dataclass
from typing import Any

from core import ui
from core.charts.race import race
from core.data.printable import printable
from core.exhibit import NOT_YET, Came, Guessed, guess, seed
from core.exhibit import Inputs as Base
from core.rooms.fewer_bits.compute import quantise
from core.rooms.fewer_bits.experiments import fewer_bits as experiment
from core.rooms.fewer_bits.experiments.fewer_bits import NAMES
from core.train.experiment import tokenizer_of
from core.train.experiments.live import Live

EXPERIMENT = "fewer-bits"
NEAR = 0.05  # nats: no further from the model that is not rounded, it learns as well
GUESSES = {
    "no": "no: three values are too few",
    "between": "much better than rounded afterwards, but worse than without rounding",
    "yes": "yes: as well as without rounding",
}
CODE = (experiment.FewerBits, quantise.quantise, quantise.quantise_by_mean, quantise.straight_through)


class Inputs(Base, prefix="train_"):
    """A guess, what a row's scale is made of, and the seed."""

    guess: str = guess("Before you look: can a model learn if each weight may only have three values?", GUESSES)
    scale: str = experiment.Options.control("scale")
    seed: int = seed(depth="numbers")


@dataclass(frozen=True)
class Result(Guessed):
    """Three models as far as they are trained; the one that is trained with rounding once there has been a guess."""

    guesses = GUESSES
    run: Live
    guess: str

    @property
    def hidden(self) -> tuple[str, ...]:
        return ("during",) if self.guess == NOT_YET else ()

    @property
    def losses(self) -> dict[str, float]:
        """Nats per token by now."""
        return {name: float(self.run.record[f"curve.{name}.loss"][-1]) for name in NAMES}

    @property
    def came(self) -> Came | None:
        if not self.run.is_done:
            return None
        plain, after, during = (self.losses[name] for name in ("float", "after", "during"))
        return Came("yes" if during < plain + NEAR else "between" if during < (plain + after) / 2 else "no")

    @property
    def perplexity_rise(self) -> float:
        """By how much perplexity is higher with rounding in every step, as a share of that without rounding."""
        return math.expm1(self.losses["during"] - self.losses["float"])

    @property
    def texts(self) -> dict[str, tuple[list[str], str]]:
        """What each writes by now, in tokens and as a text."""
        tokenizer, record = tokenizer_of(self.run.record), self.run.record
        all_ids = {name: record[f"written.{name}"].tolist() for name in NAMES}
        return {name: (tokenizer.tokens(ids), tokenizer.decode(ids)) for name, ids in all_ids.items()}

    def table(self) -> dict[str, Any]:
        """The losses by training step, of those that may be seen."""
        record = self.run.record
        seen = [name for name in NAMES if name not in self.hidden]
        return {"step": record["step"], **{NAMES[name]: record[f"curve.{name}.loss"].round(4) for name in seen}}


def compute(inputs: Inputs, run: Live) -> Result:
    """The record, and what of it may be told."""
    return Result(run, inputs.guess)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The losses by training step, and what each writes by now."""
    record = run.record
    curves = {words: (record["step"], record[f"curve.{name}.loss"]) for name, words in NAMES.items()}
    spec = race(
        curves,
        y_title=ui.measured("loss on new stories", "nats per token"),
        n_step=run.n_step,
        mode=ui.color_mode(),
        hidden=[NAMES[name] for name in result.hidden],
        height=230,
    )
    ui.chart(spec, alt=ui.words("curves"))
    for name, (tokens, text) in result.texts.items():
        if name not in result.hidden:
            title = f"{NAMES[name].capitalize()}: loss {result.losses[name]:.2f}"
            ui.token_row(tokens, key=f"train.text.{name}", title=title, takeaway=f"{title}. {printable(text)}")
    ui.say("verdict")
    ui.say("how")
    ui.say("scale")
