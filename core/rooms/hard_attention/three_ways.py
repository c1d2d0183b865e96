"""Soft, sampled and arg-max attention: the same model, trained in each way, and then read in each way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, guess, seed
from core.exhibit import Inputs as Base
from core.rooms.hard_attention.compute import card_model as ways
from core.rooms.hard_attention.compute.card_model import N_DIGIT
from core.rooms.hard_attention.compute.score_gradients import reading_cost
from core.rooms.hard_attention.experiments import choosing as task
from core.rooms.hard_attention.experiments.choosing import NAMES
from core.train.experiments.live import Live

EXPERIMENT = "choosing"
GUESSES = {"soft": "soft only", "both": "soft and sampled", "all": "all three"}
Outcome = Literal["none", "soft", "both", "all"]
FOUND = 0.9  # mean weight on the right card from which a model is said to look at it
READ = {"soft": "the mixture", "sampled": "a drawn card", "argmax": "the best card"}
TO_THE_SCORES = ("question_emb.weight", "attn.w_q.weight", "attn.w_k.weight", "attn.v.weight")  # and to nothing else
CODE = (task.Chooser.loss, ways.mixture, ways.drawn_places, ways.best_places, ways.score_function_loss, task.accuracies)


class Inputs(Base, prefix="ways_"):
    n_card: int = task.Options.control("n_card")
    seed: int = seed()
    guess: str = guess("Before you look: which of the three learn to look at the right card?", GUESSES)


@dataclass(frozen=True)
class Race(Guessed):
    """The four variants as far as they are trained."""

    guesses = GUESSES
    run: Live
    guess: str  # `NOT_YET` hides all but the first
    # variant -> right answers by way of reading, and the weight on the right card; {} before the guess
    accuracies: Mapping[str, tuple[dict[str, float], float]]

    @property
    def hidden(self) -> tuple[str, ...]:
        """Variants that have still to be guessed."""
        return tuple(v for v in NAMES if v != "soft") if self.guess == NOT_YET else ()

    @property
    def came(self) -> Came | None:
        return Came(self.outcome) if self.run.is_done and self.outcome in GUESSES else None

    @property
    def n_card(self) -> int:
        return int(self.run.options["n_card"])

    @property
    def found_at(self) -> dict[str, int | None]:
        """The three ways by name -> the step from which it looks at the right card; None: not yet."""
        return {NAMES[variant]: step for variant, step in found_at(self.run).items() if variant != "bare"}

    @property
    def outcome(self) -> Outcome:
        return outcome(self.run)

    @property
    def cost(self) -> dict[str, int]:
        return reading_cost(self.n_card)

    def drift(self, variant: str) -> float:
        """How far the parameters that lead to the scores alone have moved since the start, at most."""
        frames = [self.run.record[f"frames.{variant}.{name}"] for name in TO_THE_SCORES]
        return max(float(np.abs(values[-1] - values[0]).max()) for values in frames)

    def table(self) -> dict[str, Any]:
        titles = {"accuracy": "right answers", "found": "weight on the right card"}
        return {"step": self.run.record["step"]} | {
            f"{title}, {name}": self.run.record[f"curve.{variant}.{what}"]
            for what, title in titles.items()
            for variant, name in NAMES.items()
        }


def found_at(run: Live) -> dict[str, int | None]:
    """Variant -> the first measured step with nine tenths of the weight on the right card; None: not yet."""
    there = {variant: np.flatnonzero(run.record[f"curve.{variant}.found"] >= FOUND) for variant in NAMES}
    return {variant: int(run.record["step"][first[0]]) if first.size else None for variant, first in there.items()}


def outcome(run: Live) -> Outcome:
    """Which of the guesses came true by now; "none" where none of the three has learned it."""
    learned = tuple(v for v, step in found_at(run).items() if v != "bare" and step is not None)
    named: dict[tuple[str, ...], Outcome] = {(): "none", ("soft",): "soft", ("soft", "sampled"): "both"}
    return named.get(learned, "all")


def compute(inputs: Inputs, run: Live) -> Race:
    """When each variant found where to look, and once the guess is made, how it does when it is read in another way."""
    if inputs.guess == NOT_YET:
        return Race(run, inputs.guess, {})
    held = task.held_out(run.seed, int(run.options["n_card"]))
    return Race(run, inputs.guess, {v: task.accuracies(task.model_at(run.record, v, -1), held) for v in NAMES})


def luck(n_card: int) -> float:
    """Right answers of a model that reads well, but a card at random: the right card, or another with the digit."""
    return 1 / n_card + (1 - 1 / n_card) / N_DIGIT


def draw(result: Race, inputs: Inputs, run: Live) -> None:
    n = result.n_card
    accuracy, found = ui.pair("ways-curves")
    with found:
        blind = {"the same for all cards": 1 / n}
        curves(run, NAMES, "found", blind, title="weight on the right card", hidden=result.hidden)
    with accuracy:  # last, as the one to download
        blind = {"a card at random": luck(n)}
        curves(run, NAMES, "accuracy", blind, title="right answers (share)", hidden=result.hidden)
    ui.say("ways")
    if result.hidden:
        ui.say("hidden")
        return
    ui.say("found", names=NAMES, found_at=found_at(run))
    ui.say("accuracies", names=NAMES, ways=READ)
    ui.say("cost")


def curves(
    run: Live,
    names: Mapping[str, str],
    what: str,
    blind: Mapping[str, float],
    *,
    title: str,
    hidden: Sequence[str],
    height: int = 300,
) -> None:
    """Draw what was measured of each variant, `curve.<variant>.<what>` of the record, against the steps."""
    ui.curves(
        {name: (run.record["step"], run.record[f"curve.{variant}.{what}"]) for variant, name in names.items()},
        n_step=run.n_step,
        y=ui.Axis(title, (0, 1.05)),
        references=blind,
        hidden=[names[variant] for variant in hidden],
        height=height,
    )
