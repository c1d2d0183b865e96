"""A linear probe: what can be read off each layer, and three controls that show what it doesn't tell."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, guess, seed, segmented
from core.exhibit import Inputs as Base
from core.rooms.circuits.compute import probing, questions
from core.rooms.circuits.compute.probing import Probed
from core.rooms.circuits.compute.questions import QUESTIONS

WARM_UP = True
PLACES = ("embedding", "after layer 0", "after layer 1")
ASKED = {"pronoun": "he or she", "color": "the color"}
CHANGES = ("nothing", "random", "probe's", "all", "moved")  # see `probing.CHANGES`
GUESSES = {
    "chance": "about as often as by guessing",
    "between": "in between",
    "same": "about as often as in the trained",
}
NEAR = 0.1  # shares of right answers no further apart are called the same
N_WORD = 9
CODE = (probing.learn, probing.without, probing.moved, probing.said)


class Inputs(Base, prefix="probe_"):
    """What the probe is asked, and a guess."""

    guess: str = guess("In a model that was never trained, how often is a probe right?", GUESSES)
    ask: str = segmented("The probe is asked for", ASKED, "pronoun")
    seed: int = seed()


@dataclass(frozen=True)
class Result(Guessed):
    """One question, at three places of the model."""

    guesses = GUESSES
    guess: str
    ask: str
    found: Probed

    @property
    def chance(self) -> float:
        return 1 / len(QUESTIONS[self.ask].answers)

    @property
    def best(self) -> tuple[float, float]:
        """At the best place: of the trained model, and of the untrained one."""
        return max(self.found.trained), max(self.found.untrained)

    @property
    def came(self) -> Came:
        trained, untrained = self.best
        is_same, is_chance = untrained > trained - NEAR, untrained < self.chance + NEAR
        answer = "same" if is_same else "chance" if is_chance else "between"
        return Came(answer, f"{untrained:.0%}, in the trained one {trained:.0%}")

    @property
    def selectivity(self) -> list[float]:
        """At each place, by how much the probe is more often right than one that learns labels by lot."""
        return [true - drawn for true, drawn in zip(self.found.trained, self.found.drawn, strict=True)]

    @property
    def ending(self) -> str:
        """Of what is read of a story, the last words."""
        return " ".join(self.found.example.split()[-N_WORD:])

    @property
    def n_learned(self) -> int:
        return questions.N_LEARNED

    @property
    def n_held(self) -> int:
        return questions.N_HELD

    @property
    def said(self) -> NDArray[np.float64]:
        """(2, 5) after each layer: share of right words that the model says, by what was done there."""
        return self.found.said

    def table(self) -> dict[str, list[Any]]:
        """One line for each place; before the first layer nothing was changed."""
        one = self.found
        shares = {"probe": one.trained, "labels by lot": one.drawn, "untrained": one.untrained}
        said = {f"model says it, changed: {name}": [None, *one.said[:, i]] for i, name in enumerate(CHANGES)}
        rows = {**shares, "new probe on the rest": (None, *one.again), **said}
        return {
            "place": [*PLACES],
            **{name: [v if v is None else round(float(v), 4) for v in values] for name, values in rows.items()},
        }


def compute(inputs: Inputs) -> Result:
    """Probes at each place, their controls, and the model without what they read."""
    return Result(inputs.guess, inputs.ask, probing.probed(inputs.ask, inputs.seed))


def draw(result: Result, inputs: Inputs) -> None:
    """Accuracy by layer; and what the model says when the probe's directions are taken from it."""
    found, is_told = result.found, inputs.guess != NOT_YET
    ui.say("asked")
    bars = {ASKED[result.ask]: found.trained, "labels by lot": found.drawn}
    if is_told:
        bars["untrained"] = found.untrained
    ui.grouped_bars(
        bars,
        labels=PLACES,
        x=ui.words("right"),
        strokes=[result.chance] * len(PLACES),
        stroke="by guessing",
        alt=ui.words("alt"),
    )
    ui.say("drawn")
    if not is_told:
        ui.say("guess")
        return
    ui.say("guessed")
    ui.matrix(
        result.said,
        rows=[place.removeprefix("after ") for place in PLACES[1:]],
        columns=CHANGES,
        row_title="after",
        column_title="taken away",
        value_title="right words",
        key=f"probe-said-{result.ask}",
        label=ui.words("matrix"),
        takeaway=ui.words("said"),
    )
    ui.say("taken")
    ui.say("again")
    ui.say("method")
