"""Remember the first token: four kinds of net, trained live, by the distance of the first token."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    guess_control,
    seed,
    segmented_control,
    slider,
)
from core.rooms.recurrent.experiments import remember as task
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "remember"
CODE = (task.draw, task.untrained_net, task.Remember, task.answer_accuracy)
LETTERS = "ABCDEFGH?"
KNOWS_FROM, GUESSES_BELOW = (
    0.95,
    0.25,
)  # with at least this accuracy a net knows the letter; below the second, it guesses
GATED = ("lstm", "gru")  # the variants of the guess


class Inputs(Base, prefix="remember_"):
    guess: str = guess_control(("gates", "gru", "lstm", "none"))
    asked: str = task.Options.control("asked")
    forget_bias: int = task.Options.control("forget_bias")
    furthest: int = task.Options.control("furthest")
    seed: int = seed()
    distance: int = segmented_control(task.DISTANCES, 20)
    text: int = slider(0, task.N_HELD - 1, 0, when=lambda i: i.guess != NOT_YET)


class RememberResult(Result):
    """The nets in their current state of training."""

    run: ExperimentRun
    hidden: tuple[str, ...]  # variants that are hidden until the guess
    distances: list[int]  # trained distances
    distance: int  # selected distance, or the furthest trained one if it was not trained
    text: str  # a held-out sequence; first: its first letter; answers: name -> (letter, probability)
    first: str
    answers: dict[str, tuple[str, float]]
    kinds: dict[str, dict[str, list[str]]]  # name -> distances at which it knows the letter, is in between, or guesses
    outcome: GuessOutcome | None

    def table(self) -> Table:
        return task.table(self.run.record)


def accuracy_curve(run: ExperimentRun, variant: str, distance: int) -> NDArray[np.generic]:
    """Return (n,) the accuracy over the run."""
    curve: NDArray[np.generic] = run.record[f"curve.{task.record_name(variant, distance)}.accuracy"]
    return curve


def right_guess(run: ExperimentRun) -> str | None:
    """Return the right guess, based on 20 letters in between; None if that distance was not trained."""
    if 20 not in run.record["distances"]:
        return None
    knows = {variant: float(accuracy_curve(run, variant, 20)[-1]) >= KNOWS_FROM for variant in GATED}
    if all(knows.values()):
        return "gates"
    return "gru" if knows["gru"] else "lstm" if knows["lstm"] else "none"


def _places(run: ExperimentRun, variant: str, distances: list[int]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"knows": [], "between": [], "blind": []}
    for distance in distances:
        share = float(accuracy_curve(run, variant, distance)[-1])
        kind = "knows" if share >= KNOWS_FROM else "blind" if share < GUESSES_BELOW else "between"
        found[kind].append(
            LABELS("distance_with_share", distance=distance, share=share) if kind == "between" else f"{distance}"
        )
    return found


def compute(inputs: Inputs, run: ExperimentRun) -> RememberResult:
    """Collect the answers of four kinds of net to one held-out sequence, once the guess is made."""
    distances = [int(one) for one in run.record["distances"]]
    distance = inputs.distance if inputs.distance in distances else distances[-1]
    text, right, answers = "", "", dict[str, tuple[str, float]]()
    if inputs.guess != NOT_YET:
        ids, first = task.held_out_sequences(distance, run.seed)
        text, right = "".join(LETTERS[i] for i in ids[inputs.text].tolist()), LETTERS[int(first[inputs.text])]
        for variant, name in task.NAMES.items():
            model = experiment.rebuild_model(
                run.record, task.record_name(variant, distance), task.config(variant, distance)
            )
            with torch.no_grad():
                shares = model(ids[inputs.text : inputs.text + 1])[0, -1].softmax(-1).numpy()
            said = int(np.argmax(shares))
            answers[name] = (LETTERS[said], float(shares[said]))
    answer = right_guess(run) if run.is_done else None
    return RememberResult(
        run=run,
        hidden=GATED if inputs.guess == NOT_YET else (),
        distances=distances,
        distance=distance,
        text=text,
        first=right,
        answers=answers,
        kinds={name: _places(run, variant, distances) for variant, name in task.NAMES.items()},
        outcome=None if answer is None else GuessOutcome(answer),
    )


def draw(result: RememberResult, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the race, accuracy by distance and over the steps, and one sequence in detail."""
    distances, distance = result.distances, result.distance
    shape: dict[str, Any] = {"y": ui.Axis(LABELS["share_axis"], (0, 1.04)), "height": 280}
    shape["references"] = {LABELS["chance"]: 1 / task.N_LETTER}
    now, training, one = ui.st.tabs([LABELS["tab.now"], LABELS("tab.training", distance=distance), LABELS["tab.one"]])
    with training:
        if not result.hidden:
            steps = run.record["step"]
            by_step = {task.NAMES[v]: (steps, accuracy_curve(run, v, distance)) for v in task.VARIANTS}
            ui.curves(by_step, n_step=run.n_step, **shape)
    with now:
        ui.curves(
            {task.NAMES[v]: (distances, [accuracy_curve(run, v, d)[-1] for d in distances]) for v in task.VARIANTS},
            x=LABELS["letters_axis"],
            n_step=distances[-1],
            hidden=[task.NAMES[variant] for variant in result.hidden],
            **shape,
        )
    if not result.hidden:
        with one:
            ui.show_text_section("sequence")
