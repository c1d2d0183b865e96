"""Superposition: five features in two dimensions, kept side by side as long as they seldom meet."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, Look, guess, seed, segmented, select
from core.exhibit import Inputs as Base
from core.rooms.circuits.compute import toy
from core.rooms.circuits.experiments import superposition as task
from core.rooms.circuits.experiments.superposition import KINDS, OFTEN
from core.rooms.circuits.superposition_widget import arrows
from core.train.experiments.live import Live

EXPERIMENT = "superposition"
MODELS = {"plane": "5 in the plane", "linear": "without ReLU", "space": "8 in space"}
HOW_OFTEN = {1.0: "always", 0.5: "1 time in 2", 0.2: "1 time in 5", 0.1: "1 time in 10", 0.05: "1 time in 20",
             0.02: "1 time in 50"}  # fmt: skip
GUESSES = {"2": "two", "3": "three", "4": "four", "5": "all five"}
ASKED = 0.05  # how often a feature is there, of which one guesses
KEPT = 0.5  # an arrow at least so long: the feature counts as kept
AT = ("super_model", "super_often")
CODE = (toy.Toys, task.Superposition, toy.loss)


def _is_told(inputs: Any) -> bool:
    return bool(inputs.guess != NOT_YET)


class Inputs(Base, prefix="super_"):
    """A guess, and afterwards which model is shown."""

    guess: str = guess("Two numbers, five features, each there 1 time in 20. How many are kept?", GUESSES)
    model: str = segmented("Model", MODELS, "plane", when=_is_told, look=Look())
    often: float = select("Each feature is there", HOW_OFTEN, 1.0, when=_is_told, look=Look())
    seed: int = seed()


@dataclass(frozen=True)
class Result(Guessed):
    """Three kinds of toy models, six of each."""

    guesses = GUESSES
    run: Live
    guess: str
    found: NDArray[
        np.float64
    ]  # (3, 6, 3) of each model the loss, and the mean error where one feature is there, and two

    def weight(self, kind: str, often: float) -> NDArray[np.float64]:
        """(H, N) of one model."""
        return self.run.record[f"model.{kind}.weight"][OFTEN.index(often)].astype(np.float64)

    def bias(self, kind: str, often: float) -> NDArray[np.float64]:
        """(N,) of one model."""
        return self.run.record[f"model.{kind}.bias"][OFTEN.index(often), 0].astype(np.float64)

    def kept(self, kind: str, often: float) -> int:
        """How many of its features have an arrow."""
        return int((np.linalg.norm(self.weight(kind, often), axis=0) > KEPT).sum())

    def _found(self, kind: str, often: float) -> list[float]:
        numbers: list[float] = self.found[[*KINDS].index(kind), OFTEN.index(often)].tolist()
        return numbers

    def loss(self, kind: str, often: float) -> float:
        return self._found(kind, often)[0]

    def first(self, kind: str, often: float) -> float:
        """The loss of who keeps only as many features as there are dimensions."""
        return toy.loss_of_the_first(KINDS[kind].n_hidden, KINDS[kind].n_feature, often)

    def share(self, kind: str, often: float) -> float:
        return self.loss(kind, often) / self.first(kind, often)

    def errors(self, kind: str, often: float) -> tuple[float, float]:
        """The mean error where one feature is there, and where two are."""
        _, one, two = self._found(kind, often)
        return one, two

    def meet(self, kind: str, often: float) -> float:
        """How often two or more are there at once."""
        n = KINDS[kind].n_feature
        return float(1 - (1 - often) ** n - n * often * (1 - often) ** (n - 1))

    @property
    def came(self) -> Came | None:
        if not self.run.is_done:
            return None
        n = self.kept("plane", ASKED)
        return Came(str(n) if str(n) in GUESSES else "", f"{n} of 5")

    def table(self) -> dict[str, list[Any]]:
        """One line for each model."""
        rows = [
            (MODELS[kind], often, self.kept(kind, often), round(self.loss(kind, often), 6), *self.errors(kind, often))
            for kind in KINDS
            for often in OFTEN
        ]
        names = ("model", "how often", "features kept", "loss", "error of one", "error of two")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def compute(inputs: Inputs, run: Live) -> Result:
    """The weights as they are now, on every way in which features can be there."""
    found = []
    for kind, (_, _, relu) in KINDS.items():
        weights, biases = run.record[f"model.{kind}.weight"], run.record[f"model.{kind}.bias"][:, 0]
        for weight, bias, often in zip(weights, biases, OFTEN, strict=True):
            _, one, two, *_ = toy.by_count(weight, bias, relu=relu)
            found.append((toy.loss(weight, bias, often, relu=relu), one, two))
    return Result(run, inputs.guess, np.reshape(found, (len(KINDS), len(OFTEN), 3)))


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The arrows of one model, what comes back, and the loss beside that of a model that keeps the first alone."""
    is_told = _is_told(inputs)

    def told(kind: str, often: float) -> dict[str, Any]:
        return {
            "weight": result.weight(kind, often).tolist(),
            "bias": result.bias(kind, often).tolist(),
            "relu": KINDS[kind].relu,
            "often": often,
            "loss": result.loss(kind, often),
            "first": result.first(kind, often),
        }

    def each(make: Any) -> Any:
        return ui.each(make, *AT) if is_told else make("plane", 1.0)

    arrows(
        each(told),
        values={kind.n_feature: toy.values(kind.n_feature) for kind in KINDS.values()},
        importance=toy.importance(max(kind.n_feature for kind in KINDS.values())).tolist(),
        key=f"super-{is_told}",
        label=each(lambda kind, often: f"{MODELS[kind]}: each feature is there {HOW_OFTEN[often]}"),
        takeaway=each(lambda kind, often: f"{result.kept(kind, often)} of {KINDS[kind].n_feature} features have an "
                      f"arrow, in {KINDS[kind].n_hidden} dimensions."),
    )  # fmt: skip
    if not is_told:
        if run.is_done:
            ui.say("dense")
        ui.say("guess")
        return
    if ui.at_least("numbers"):
        _losses(result)
    if not run.is_done:
        ui.say("after")
        return
    ui.say("guessed")
    rows = [
        [
            {"kept": result.kept(kind, often), "of": KINDS[kind], "one": result.errors(kind, often)[0],
             "two": result.errors(kind, often)[1], "meet": result.meet(kind, often)}
            for often in OFTEN
        ]
        for kind in KINDS
    ]  # fmt: skip
    ui.say_each("cost", rows, *AT)
    ui.say("control")


def _losses(result: Result) -> None:
    """By how often a feature is there."""
    ticks = 0.02, 0.05, 0.1, 0.2, 0.5, 1.0
    ui.curves(
        {MODELS[kind]: (OFTEN[::-1], [result.share(kind, often) for often in OFTEN[::-1]]) for kind in KINDS},
        x=ui.Axis("how often each feature is there", (0.02, 1), ticks=ticks, is_log=True),
        y=ui.Axis(ui.measured("loss", "1: only the first are kept"), (0, 1.15)),
        height=230,
        alt=ui.words("alt"),
    )
