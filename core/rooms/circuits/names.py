"""Who gets a name by the same rule: features, neurons, random directions, and a model that has learned nothing."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, guess
from core.exhibit import Inputs as Base
from core.rooms.circuits.compute import naming
from core.rooms.circuits.compute.cards import read
from core.rooms.circuits.experiments import features as task
from core.train.experiments.live import Live

TRAINED = "features"
GUESSES = {"none": "hardly any", "fewer": "about half as many", "more": "as many, or more"}
WHO = {
    "found": "features of the stories model",
    "untrained": "features of an untrained model",
    "neurons": "neurons of the stories model",
    "random": "random directions in it",
}
OWN, CONTEXT = "by its own token", "by the tokens beside it"
CODE = (naming.named, naming.kinds_of)


class Inputs(Base, prefix="names_"):
    """A guess."""

    guess: str = guess("A model that has learned nothing: how many of its features get a name?", GUESSES)


@dataclass(frozen=True)
class Result(Guessed):
    """How many of each have a name that fits, and of what kind."""

    guesses = GUESSES
    run: Live
    guess: str
    named: dict[str, tuple[int, int, int]]  # who -> by the own token, by others, of how many; empty while it trains

    @property
    def n_named(self) -> dict[str, int]:
        """With a name of either kind."""
        return {who: own + others for who, (own, others, _) in self.named.items()}

    @property
    def shares(self) -> dict[str, tuple[float, float]]:
        """Of all, those with a name of each kind."""
        return {who: (own / n, others / n) for who, (own, others, n) in self.named.items()}

    @property
    def came(self) -> Came | None:
        if not self.named:
            return None
        found, untrained = self.n_named["found"], self.n_named["untrained"]
        answer = "more" if untrained >= 0.9 * found else "fewer" if untrained > 0.2 * found else "none"
        return Came(answer, f"{untrained}, against {found} in the trained one")

    @property
    def again(self) -> float:
        """The share of directions that another seed found again."""
        return float(np.mean(self.run.record["similar"] > 0.9))

    @property
    def close(self) -> float:
        """The share that another seed found at least nearly, at a cosine above 0.7."""
        return float(np.mean(self.run.record["similar"] > 0.7))

    @property
    def n_dead(self) -> int:
        """Features that never fire."""
        return int(self.run.record["dead"][0])

    @property
    def explained(self) -> tuple[float, float]:
        """The share of the variance that is explained: of the stories model, and of the untrained one."""
        found, untrained = (float(self.run.record[f"curve.{v}.explained"][-1]) for v in ("found", "untrained"))
        return found, untrained

    @property
    def recovered(self) -> float:
        """Of what the model loses with zeros there, the share that comes back with what is rebuilt."""
        plain, zero, rebuilt = map(float, self.run.record["loss"])
        return (zero - rebuilt) / (zero - plain)

    def table(self) -> dict[str, list[Any]]:
        """One line for each."""
        rows = [(WHO[who], *counts) for who, counts in self.named.items()]
        return dict(zip(("of", OWN, CONTEXT, "n"), map(list, zip(*rows, strict=True)), strict=True)) if rows else {}


def compute(inputs: Inputs, run: Live) -> Result:
    """The names are those of the training's end."""
    named: dict[str, tuple[int, int, int]] = {}
    for who in WHO if run.is_done else ():
        found = task.names_of(run.record, who)
        is_own = read().kinds.of[found.kind] == naming.OWN
        named[who] = int((found.fits & is_own).sum()), int((found.fits & ~is_own).sum()), len(found.kind)
    return Result(run, inputs.guess, named)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The shares that have a name; that of the untrained model once it was guessed."""
    if not result.named:
        ui.say("after")
        return
    shown = {who: share for who, share in result.shares.items() if who != "untrained" or inputs.guess != NOT_YET}
    own, others = zip(*shown.values(), strict=True)
    labels = [WHO[who] for who in shown]
    ui.grouped_bars({OWN: own, CONTEXT: others}, labels=labels, x=ui.words("axis"), alt=ui.words("alt"))
    if inputs.guess == NOT_YET:
        ui.say("guess")
        return
    ui.say("guessed")
    ui.say("context")
    ui.say("again")
    ui.say("large")
    ui.say("quality")
