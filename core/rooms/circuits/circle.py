"""Is the circle real? Any embeddings have one for who looks for it; what is taken out tells which one is used."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, Look, guess, segmented
from core.exhibit import Inputs as Base
from core.rooms.circuits.compute import cuts, fourier
from core.rooms.circuits.experiments import grokking as task
from core.rooms.circuits.experiments.grokking import CONFIG, N_NUMBER
from core.rooms.circuits.ring_widget import ring
from core.train.experiment import rebuild
from core.train.experiments.live import Live

TRAINED = "grokking"
AT = "circle_way"
OF = {
    "rule": "the one that adds",
    "untrained": "before training",
    "no_decay": "no weight decay",
    "random": "answers without a rule",
}
WAYS = {"own": "its strongest frequency", "sought": "any that show a circle"}
GUESSES = {"no": "no: they are noise", "rough": "a rough one", "yes": "yes, a perfect one"}
ENOUGH = 0.95  # of the right answers
EVEN = 0.01  # by so much the farthest point of a perfect circle may lie farther out than the nearest
CODE = (fourier.any_circle, fourier.only, cuts.right_with)


class Inputs(Base, prefix="circle_"):
    """A guess, whose embeddings, and how the two directions are chosen."""

    guess: str = guess("Can one show the embeddings of an untrained model as a circle?", GUESSES)
    of: str = segmented("Embeddings of", OF, "rule")
    way: str = segmented("Seen in two directions", WAYS, "own", look=Look())


@dataclass(frozen=True)
class Result(Guessed):
    """One set of embeddings in two directions, and what the model loses with its frequencies."""

    guesses = GUESSES
    guess: str
    of: str
    frequency: int  # the strongest
    points: NDArray[np.float32]  # (2, 31, 2) by `WAYS`
    held: tuple[float, ...]  # share of the variance that the circle in them holds, by `WAYS`
    spectrum: NDArray[np.float64]  # (15,) share at each frequency
    uneven: float  # of untrained embeddings in directions that were sought: farthest point less nearest
    kept: Mapping[str, NDArray[np.float64]]  # cut -> (16,) share of its right answers that stay right; empty untrained

    @property
    def came(self) -> Came:
        answer = "yes" if self.uneven < EVEN else "rough" if self.uneven < 0.5 else "no"
        return Came(answer)

    @property
    def n(self) -> int:
        """All frequencies."""
        return len(self.spectrum)

    @property
    def enough(self) -> int:
        """So many of the strongest frequencies are enough for nearly all of its right answers."""
        return int(np.argmax(self.kept["the weakest first"][::-1] >= ENOUGH))

    @property
    def alone(self) -> float:
        """What stays right with these alone."""
        return float(self.kept["the weakest first"][self.n - self.enough])

    @property
    def without(self) -> float:
        """What stays right without them."""
        return float(self.kept["the strongest first"][self.enough])

    @property
    def without_others(self) -> float:
        """What stays right without as many others."""
        return float(self.kept["the weakest first"][self.enough])

    @property
    def top(self) -> float:
        """The share of the strongest frequency."""
        return float(self.spectrum.max())

    def table(self) -> dict[str, list[Any]]:
        """One line for each number of frequencies."""
        found: dict[str, list[Any]] = {"frequencies taken out": [*range(self.n + 1)]}
        strongest = np.sort(self.spectrum)[::-1].round(4).tolist()
        found["share of the variance, strongest first"] = ["", *strongest]
        return found | {name: values.round(4).tolist() for name, values in self.kept.items()}


def compute(inputs: Inputs, run: Live) -> Result:
    """The embeddings in two directions that were chosen in two ways; and the model without some frequencies."""
    record, of = run.record, inputs.of
    untrained = task.frames(record, "rule")[0]
    embedding = untrained if of == "untrained" else np.asarray(record[f"model.{of}.tok_emb.weight"], np.float64)
    k = cuts.ranking(embedding)[0]
    ways = [make(embedding, k) for make in (fourier.directions, fourier.any_circle)]
    kept: dict[str, NDArray[np.float64]] = {}
    if of != "untrained":
        kept = cuts.still_right(rebuild(record, of, CONFIG), embedding, task.pairs(), task.answers(record, of))
    far = np.linalg.norm(fourier.seen(untrained, fourier.any_circle(untrained, 1)), axis=1)
    return Result(
        inputs.guess,
        of,
        k,
        np.stack([fourier.seen(embedding, two) for two in ways]).astype(np.float32),
        tuple(fourier.held(embedding, two, k) for two in ways),
        fourier.spectrum(embedding),
        float(far.max() - far.min()),
        kept,
    )


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The numbers in two directions, and what is lost with some frequencies."""
    left, right = ui.pair("circle-pictures")
    is_open = result.guess == NOT_YET
    with left:
        points = result.points[[0, 0]] if is_open else result.points
        ring(
            ui.along(points, AT),
            order=fourier.ring(N_NUMBER, result.frequency),
            key=f"circle-ring-{inputs.of}",
            label=OF[inputs.of].capitalize(),
            takeaway=ui.words("ring"),
        )
    with right:
        if result.kept:
            ui.curves(
                {name: (range(result.n + 1), values) for name, values in result.kept.items()},
                x=f"frequencies taken out, of {result.n}",
                y=ui.Axis("right answers that stay right", (0, 1.02)),
                alt=ui.words("cuts"),
            )
        else:
            ui.say("nothing")
    if is_open:
        ui.say("guess")
        return
    ui.say_each("held", [{"share": share} for share in result.held], AT)
    ui.say("guessed")
    if result.kept:
        ui.say("used" if inputs.of == "rule" else "spread")
