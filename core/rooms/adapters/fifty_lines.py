"""Fifty lines of your own, learned with LoRA at five ranks and with full fine-tuning, compared at the best steps."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    ViewChoice,
    guess_control,
    seed,
    segmented_control,
    text_input,
)
from core.models import lora, pretrained
from core.rooms.adapters.compute.merged_model import continue_line, merged_model
from core.rooms.adapters.experiments import adapters as task
from core.rooms.adapters.experiments.adapters import RANKS, VARIANTS
from core.rooms.adapters.inputs import RANK
from core.train.experiment import experiment_record
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
EXPERIMENT = "adapters"
LOSS_TOLERANCE = 0.05  # nats: ten held-out lines can't tell smaller differences apart
PLOTTED_NAMES = LABELS.options("variant", "rank_1", "rank_16", "full")  # the variants that are plotted
CODE = (lora.LoRA, lora.add_lora, task.Adapters)


class Inputs(Base, prefix="lora_"):
    text: str = task.Options.control("text")
    seed: int = seed(depth="numbers")
    guess: str = guess_control(
        ("lora", "same", "full"),
    )
    beginning: str = text_input("A cake", max_chars=60, depth="numbers")
    rank: int = segmented_control(RANK, 1, view=ViewChoice(), depth="numbers")


class Evaluation(NamedTuple):
    """The losses of one variant after one step, in nats per token."""

    step: int
    train: float  # on the lines that it is trained on
    new: float  # on lines that were held out
    old: float  # on the stories


class Seeds(NamedTuple):
    """The lead of full fine-tuning over rank 1, at the best steps of both, over the seeds that ship."""

    n: int
    behind: tuple[float, float]  # the lowest and the highest difference


class FineTuned(Result):
    """The run so far, and the lines that the model writes."""

    run: ExperimentRun
    is_told: bool
    texts: dict[int, str]  # rank -> the line it writes; 0: without an update
    n_all: int  # parameters of the model
    n_update: dict[int, int]  # rank -> parameters of its updates
    uniform_loss: float  # the loss of a uniform guess among all tokens
    before: tuple[float, float]  # loss on the lines and on the stories before training
    best: dict[str, Evaluation]  # variant -> at its lowest loss on held-out lines (early stopping)
    last: dict[str, Evaluation]  # variant -> after the last step
    smallest_at_best: int | None  # the smallest rank no worse than full fine-tuning, each at its best; None: no rank is
    seeds: Seeds
    outcome: GuessOutcome | None

    def table(self) -> dict[str, list[float]]:
        """Return the losses at each evaluation."""
        return task.table(self.run.record)


def evaluation_at(record: task.Record, variant: str, i: int) -> Evaluation:
    """Return the i-th evaluation of a variant."""
    train, new, old = (float(record[f"curve.{variant}.{what}"][i]) for what in task.EVALUATION_SETS)
    return Evaluation(int(record["step"][i]), train, new, old)


def _best_loss_by_seed(record: task.Record, variant: str) -> NDArray[np.float64]:
    """Return the lowest loss on held-out lines for each seed (seeds,), from the record of `adapters-seeds`."""
    return np.asarray(record[f"curve.{variant}.new"], np.float64).min(0)


def compute(inputs: Inputs, run: ExperimentRun) -> FineTuned:
    """Collect the recorded losses, and generate a text without an update and with the update of each rank."""
    loaded = pretrained.load(task.MODEL)
    record, seeds = run.record, experiment_record("adapters-seeds")
    behind = _best_loss_by_seed(seeds, "rank_1") - _best_loss_by_seed(seeds, "full")
    best = {v: evaluation_at(record, v, int(record[f"curve.{v}.new"].argmin())) for v in VARIANTS}
    thin, full, start = best["rank_1"].new, best["full"].new, evaluation_at(record, "full", 0)
    answer = "same" if abs(thin - full) < LOSS_TOLERANCE else "full" if full < thin else "lora"
    in_words = LABELS("losses", thin=thin, full=full)
    sizes = [one.in_features + one.out_features for _, one in lora.target_matrices(loaded.model)]
    return FineTuned(
        run=run,
        is_told=run.is_done and inputs.guess != NOT_YET,
        texts={rank: continue_line(merged_model(run, rank), inputs.beginning, run.seed) for rank in (0, *RANKS)},
        n_all=sum(w.numel() for w in loaded.model.parameters()),
        n_update={rank: rank * sum(sizes) for rank in RANKS},
        uniform_loss=math.log(loaded.config.vocab_size),
        before=(start.new, start.old),
        best=best,
        last={v: evaluation_at(record, v, -1) for v in VARIANTS},
        smallest_at_best=next((rank for rank in RANKS if best[f"rank_{rank}"].new <= full), None),
        seeds=Seeds(len(behind), (float(behind.min()), float(behind.max()))),
        outcome=GuessOutcome(answer, in_words) if run.is_done else None,
    )


def draw(result: FineTuned, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw a generated line, and both losses by training step with each best step ringed."""
    if run.is_done:
        ui.show_text_section("without")
        ui.show_text_section(
            "with", of=ui.for_each_option(str, inputs.rank), written=ui.for_each_option(result.texts.get, inputs.rank)
        )
    for side, what in zip(ui.two_columns("lora-losses"), ("new", "old"), strict=True):
        with side:
            ui.curves(
                {name: (run.record["step"], run.record[f"curve.{v}.{what}"]) for v, name in PLOTTED_NAMES.items()},
                title=ui.section_text(f"title-{what}"),
                y=ui.Axis(ui.quantity_label(LABELS["loss_axis"], LABELS["loss_unit"]), (0, 2.5)),
                n_step=run.n_step,
                hidden=() if result.is_told else (PLOTTED_NAMES["rank_1"], PLOTTED_NAMES["rank_16"]),
                rings={name: result.best[v].step for v, name in PLOTTED_NAMES.items()} if run.is_done else {},
            )
