"""Soft, sampled and arg-max attention: the same model, trained in each way, and then read in each way."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed
from core.rooms.hard_attention.compute import card_model as ways
from core.rooms.hard_attention.compute.card_model import N_DIGIT
from core.rooms.hard_attention.compute.score_gradients import reading_cost
from core.rooms.hard_attention.experiments import choosing as task
from core.rooms.hard_attention.experiments.choosing import VARIANT_NAMES
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "choosing"
GUESSES = ("soft", "both", "all")
LearningOutcome = Literal["none", "soft", "both", "all"]
FOUND_WEIGHT = 0.9  # mean weight on the right card from which a model counts as looking at it
READ_NAMES = {"soft": LABELS["reads.soft"], "sampled": LABELS["reads.sampled"], "argmax": LABELS["reads.argmax"]}
# The parameters that affect only the scores.
SCORE_PARAMETERS = ("question_emb.weight", "attn.w_q.weight", "attn.w_k.weight", "attn.v.weight")
CODE = (
    task.VariantTrainer.loss,
    ways.mix_positions,
    ways.sample_positions,
    ways.argmax_positions,
    ways.score_function_loss,
    task.measure_accuracies,
)


class Inputs(Base, prefix="ways_"):
    n_card: int = task.Options.control("n_card")
    seed: int = seed()
    guess: str = guess_control(GUESSES)


class ReadingComparison(Result):
    """The four variants at the newest step of their training."""

    run: ExperimentRun
    outcome: GuessOutcome | None  # once the run is finished, if one of the guesses is right
    hidden: tuple[str, ...]  # variants that have yet to be guessed
    # variant -> fraction of right answers by way of reading, and the weight on the right card; {} before the guess
    accuracies: Mapping[str, tuple[dict[str, float], float]]
    learned: LearningOutcome  # the right guess at the newest step
    found_at: dict[str, int | None]  # name of each of the three ways -> the first step at which it finds the right card
    cost: dict[str, int]  # multiply-adds, see `reading_cost`

    def drift(self, variant: str) -> float:
        """Return how far the parameters that only affect the scores have moved since the start, at most."""
        frames = [self.run.record[f"frames.{variant}.{name}"] for name in SCORE_PARAMETERS]
        return max(float(np.abs(values[-1] - values[0]).max()) for values in frames)

    def table(self) -> Table:
        titles = {"accuracy": "right_answers_of", "found": "weight_of"}
        return {LABELS["step"]: self.run.record["step"]} | {
            LABELS(title, variant=name): self.run.record[f"curve.{variant}.{what}"]
            for what, title in titles.items()
            for variant, name in VARIANT_NAMES.items()
        }


def steps_to_find(run: ExperimentRun) -> dict[str, int | None]:
    """Return, for each variant, the first measured step with 90% of the weight on the right card; None: not yet."""
    there = {variant: np.flatnonzero(run.record[f"curve.{variant}.found"] >= FOUND_WEIGHT) for variant in VARIANT_NAMES}
    return {variant: int(run.record["step"][first[0]]) if first.size else None for variant, first in there.items()}


def learning_outcome(run: ExperimentRun) -> LearningOutcome:
    """Return the right guess at the newest step; "none" if none of the three has learned it."""
    learned = tuple(v for v, step in steps_to_find(run).items() if v != "bare" and step is not None)
    named: dict[tuple[str, ...], LearningOutcome] = {(): "none", ("soft",): "soft", ("soft", "sampled"): "both"}
    return named.get(learned, "all")


def compute(inputs: Inputs, run: ExperimentRun) -> ReadingComparison:
    """Find when each variant found the right card and, after the guess, how well it does when read in another way."""
    n_card, answer, is_open = int(run.options["n_card"]), learning_outcome(run), inputs.guess == NOT_YET
    held = task.held_out_tables(run.seed, n_card)
    return ReadingComparison(
        run=run,
        outcome=GuessOutcome(answer) if run.is_done and answer in GUESSES else None,
        hidden=tuple(v for v in VARIANT_NAMES if v != "soft") if is_open else (),
        accuracies={}
        if is_open
        else {v: task.measure_accuracies(task.rebuild_at_moment(run.record, v, -1), held) for v in VARIANT_NAMES},
        learned=answer,
        found_at={VARIANT_NAMES[variant]: step for variant, step in steps_to_find(run).items() if variant != "bare"},
        cost=reading_cost(n_card),
    )


def random_card_accuracy(n_card: int) -> float:
    """Return the accuracy of a model that reads perfectly but picks a random card, which may have the right digit."""
    return 1 / n_card + (1 - 1 / n_card) / N_DIGIT


def draw(result: ReadingComparison, inputs: Inputs, run: ExperimentRun) -> None:
    n = int(run.options["n_card"])
    ui.add_template_values(names=VARIANT_NAMES, ways=READ_NAMES, found_at=steps_to_find(run))
    accuracy, found = ui.two_columns("ways-curves")
    with found:
        blind = {LABELS["same_for_all"]: 1 / n}
        draw_variant_curves(run, VARIANT_NAMES, "found", blind, title=LABELS["weight_on_right"], hidden=result.hidden)
    with accuracy:  # last, as the one to download
        blind = {LABELS["random_card"]: random_card_accuracy(n)}
        draw_variant_curves(run, VARIANT_NAMES, "accuracy", blind, title=LABELS["right_answers"], hidden=result.hidden)


def draw_variant_curves(
    run: ExperimentRun,
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
