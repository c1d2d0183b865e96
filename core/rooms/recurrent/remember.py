"""Remember the first token: four kinds of net, trained live, by how far away the first token is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, guess, seed, segmented, slider
from core.exhibit import Inputs as Base
from core.rooms.recurrent.experiments import remember as task
from core.train import experiment
from core.train.experiments.live import Live

EXPERIMENT = "remember"
CODE = (task.draw, task.fresh, task.Remember, task.accuracy)
LETTERS = "ABCDEFGH?"
KNOWS, BLIND = 0.95, 0.25  # from this share of right answers on a net is said to know; below this, to guess
GUESSES = {
    "gates": "both nets with gates",
    "gru": "the GRU alone",
    "lstm": "the LSTM alone",
    "none": "no recurrent net",
}
GATED = ("lstm", "gru")  # of which is guessed


class Inputs(Base, prefix="remember_"):
    """What is trained, the guess, and what is looked at afterwards."""

    guess: str = guess("Before you look: which recurrent nets still know the first of 21 letters?", GUESSES)
    asked: str = task.Options.control("asked")
    forget_bias: int = task.Options.control("forget_bias")
    furthest: int = task.Options.control("furthest")
    seed: int = seed()
    distance: int = segmented("Over the training, at distance", task.DISTANCES, 20)
    text: int = slider("Sequence", 0, task.N_HELD - 1, 0, when=lambda i: i.guess != NOT_YET)


@dataclass(frozen=True)
class Result(Guessed):
    """The nets as far as they are trained."""

    guesses = GUESSES
    run: Live
    guess: str  # `NOT_YET` hides the nets with gates
    distance: int  # that is looked at; the furthest that was trained, if it was not
    text: str  # a sequence that was not trained on; first: its first letter; answers: name -> (letter, probability)
    first: str
    answers: Mapping[str, tuple[str, float]]

    @property
    def distances(self) -> list[int]:
        return [int(one) for one in self.run.record["distances"]]

    @property
    def hidden(self) -> tuple[str, ...]:
        """Variants that have still to be guessed."""
        return GATED if self.guess == NOT_YET else ()

    def accuracy(self, variant: str, distance: int) -> NDArray[Any]:
        """(n,) the share of right answers over the training."""
        curve: NDArray[Any] = self.run.record[f"curve.{task.model_name(variant, distance)}.accuracy"]
        return curve

    def final(self, variant: str, distance: int) -> float:
        return float(self.accuracy(variant, distance)[-1])

    @property
    def came(self) -> Came | None:
        came = outcome(self.run) if self.run.is_done else None
        return None if came is None else Came(came)

    def places(self, variant: str) -> dict[str, list[str]]:
        """At which distances the net knows the letter, is in between, or guesses."""
        found: dict[str, list[str]] = {"knows": [], "between": [], "blind": []}
        for distance in self.distances:
            share = self.final(variant, distance)
            kind = "knows" if share >= KNOWS else "blind" if share < BLIND else "between"
            found[kind].append(f"{distance} ({share:.0%})" if kind == "between" else f"{distance}")
        return found

    def table(self) -> dict[str, list[Any]]:
        return task.table(self.run.record)


def outcome(run: Live) -> str | None:
    """Which guess came true, once 20 letters stand between; None where that was not trained."""
    if 20 not in run.record["distances"]:
        return None
    final = {v: float(run.record[f"curve.{task.model_name(v, 20)}.accuracy"][-1]) for v in GATED}
    knows = {variant: share >= KNOWS for variant, share in final.items()}
    if all(knows.values()):
        return "gates"
    return "gru" if knows["gru"] else "lstm" if knows["lstm"] else "none"


def compute(inputs: Inputs, run: Live) -> Result:
    """What the four kinds answer to one sequence that was not trained on, once the guess is made."""
    distances = [int(one) for one in run.record["distances"]]
    distance = inputs.distance if inputs.distance in distances else distances[-1]
    if inputs.guess == NOT_YET:
        return Result(run, inputs.guess, distance, "", "", {})
    ids, first = task.held_out(distance, run.seed)
    answers = {}
    for variant, name in task.NAMES.items():
        model = experiment.rebuild(run.record, task.model_name(variant, distance), task.config(variant, distance))
        with torch.no_grad():
            shares = model(ids[inputs.text : inputs.text + 1])[0, -1].softmax(-1).numpy()
        said = int(np.argmax(shares))
        answers[name] = (LETTERS[said], float(shares[said]))
    text = "".join(LETTERS[i] for i in ids[inputs.text].tolist())
    return Result(run, inputs.guess, distance, text, LETTERS[int(first[inputs.text])], answers)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The race, accuracy by distance and over the steps, and one sequence to look at."""
    distances, distance = result.distances, result.distance
    shape: dict[str, Any] = {"y": ui.Axis("share of right answers", (0, 1.04)), "height": 280}
    shape["references"] = {"chance": 1 / task.N_LETTER}
    now, training, one = ui.st.tabs(["By distance, now", f"Over the training, at distance {distance}", "One sequence"])
    with training:
        if not result.hidden:
            steps = run.record["step"]
            by_step = {task.NAMES[v]: (steps, result.accuracy(v, distance)) for v in task.VARIANTS}
            ui.curves(by_step, n_step=run.n_step, **shape)
    with now:
        ui.curves(
            {task.NAMES[v]: (distances, [result.final(v, d) for d in distances]) for v in task.VARIANTS},
            x="letters after the first one",
            n_step=distances[-1],
            hidden=[task.NAMES[variant] for variant in result.hidden],
            **shape,
        )
    ui.say("each")
    if result.hidden:
        ui.say("hidden")
        return
    ui.say("verdict", kinds={name: result.places(variant) for variant, name in task.NAMES.items()})
    with one:
        ui.say("sequence")
