"""Soft, sampled and arg-max attention: the same model, trained in each way, and then read in each way."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from core import ui
from core.exhibit import NOT_YET, Inputs as Base, Outcome, Result, Table, guess, seed
from core.rooms.hard_attention.compute import card_model as ways
from core.rooms.hard_attention.compute.card_model import N_DIGIT
from core.rooms.hard_attention.compute.score_gradients import reading_cost
from core.rooms.hard_attention.experiments import choosing as task
from core.rooms.hard_attention.experiments.choosing import NAMES
from core.train.experiments.live import Live

EXPERIMENT = "choosing"
GUESSES = {"soft": "soft only", "both": "soft and sampled", "all": "all three"}
Verdict = Literal["none", "soft", "both", "all"]
FOUND = 0.9  # mean weight on the right card from which a model counts as looking at it
READ = {"soft": "the mixture", "sampled": "a drawn card", "argmax": "the best card"}
TO_THE_SCORES = ("question_emb.weight", "attn.w_q.weight", "attn.w_k.weight", "attn.v.weight")  # they affect only these
CODE = (task.Chooser.loss, ways.mixture, ways.drawn_places, ways.best_places, ways.score_function_loss, task.accuracies)


class Inputs(Base, prefix="ways_"):
    n_card: int = task.Options.control("n_card")
    seed: int = seed()
    guess: str = guess("Before you look: which of the three learn to look at the right card?", GUESSES)


class Race(Result):
    """The four variants at the newest step of their training."""

    run: Live
    outcome: Outcome | None  # once the run is finished, if one of the guesses is right
    hidden: tuple[str, ...]  # variants that have yet to be guessed
    # variant -> fraction of right answers by way of reading, and the weight on the right card; {} before the guess
    accuracies: Mapping[str, tuple[dict[str, float], float]]
    learned: Verdict  # the right guess at the newest step
    found_at: dict[str, int | None]  # name of each of the three ways -> the first step at which it finds the right card
    cost: dict[str, int]  # multiply-adds, see `reading_cost`

    def drift(self, variant: str) -> float:
        """Return how far the parameters that only affect the scores have moved since the start, at most."""
        frames = [self.run.record[f"frames.{variant}.{name}"] for name in TO_THE_SCORES]
        return max(float(np.abs(values[-1] - values[0]).max()) for values in frames)

    def table(self) -> Table:
        titles = {"accuracy": "right answers", "found": "weight on the right card"}
        return {"step": self.run.record["step"]} | {
            f"{title}, {name}": self.run.record[f"curve.{variant}.{what}"]
            for what, title in titles.items()
            for variant, name in NAMES.items()
        }


def found_at(run: Live) -> dict[str, int | None]:
    """Return, for each variant, the first measured step with 90% of the weight on the right card; None: not yet."""
    there = {variant: np.flatnonzero(run.record[f"curve.{variant}.found"] >= FOUND) for variant in NAMES}
    return {variant: int(run.record["step"][first[0]]) if first.size else None for variant, first in there.items()}


def verdict(run: Live) -> Verdict:
    """Return the right guess at the newest step; "none" if none of the three has learned it."""
    learned = tuple(v for v, step in found_at(run).items() if v != "bare" and step is not None)
    named: dict[tuple[str, ...], Verdict] = {(): "none", ("soft",): "soft", ("soft", "sampled"): "both"}
    return named.get(learned, "all")


def compute(inputs: Inputs, run: Live) -> Race:
    """Find when each variant found the right card and, after the guess, how well it does when read in another way."""
    n_card, answer, is_open = int(run.options["n_card"]), verdict(run), inputs.guess == NOT_YET
    held = task.held_out(run.seed, n_card)
    return Race(
        run=run,
        outcome=Outcome(answer) if run.is_done and answer in GUESSES else None,
        hidden=tuple(v for v in NAMES if v != "soft") if is_open else (),
        accuracies={} if is_open else {v: task.accuracies(task.model_at(run.record, v, -1), held) for v in NAMES},
        learned=answer,
        found_at={NAMES[variant]: step for variant, step in found_at(run).items() if variant != "bare"},
        cost=reading_cost(n_card),
    )


def luck(n_card: int) -> float:
    """Return the accuracy of a model that reads perfectly but picks a random card, which may have the right digit."""
    return 1 / n_card + (1 - 1 / n_card) / N_DIGIT


def draw(result: Race, inputs: Inputs, run: Live) -> None:
    n = int(run.options["n_card"])
    ui.facts(names=NAMES, ways=READ, found_at=found_at(run))
    accuracy, found = ui.pair("ways-curves")
    with found:
        blind = {"the same for all cards": 1 / n}
        curves(run, NAMES, "found", blind, title="weight on the right card", hidden=result.hidden)
    with accuracy:  # last, as the one to download
        blind = {"a card at random": luck(n)}
        curves(run, NAMES, "accuracy", blind, title="right answers (share)", hidden=result.hidden)


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
    """Draw a measure of each variant, `curve.<variant>.<what>` of the record, against the steps."""
    ui.curves(
        {name: (run.record["step"], run.record[f"curve.{variant}.{what}"]) for variant, name in names.items()},
        n_step=run.n_step,
        y=ui.Axis(title, (0, 1.05)),
        references=blind,
        hidden=[names[variant] for variant in hidden],
        height=height,
    )
