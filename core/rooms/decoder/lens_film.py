"""The logit lens during training: a small GPT learns stories, and its layers are read out along the way."""

import math

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, seed
from core.inspect.logit_lens import logit_lens, readout_logits
from core.rooms.decoder.experiments import lens as task
from core.rooms.decoder.lens_picture import lens_picture
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = task.NAME
CODE = (task.Lens, logit_lens, readout_logits)


class Inputs(Base, prefix="film_"):
    norm: str = task.Options.control("norm")
    tied: bool = task.Options.control("tied")
    seed: int = seed()


class LensFilm(Result):
    """A training run seen through the logit lens."""

    run: ExperimentRun
    now: float  # the current loss; nan if none was measured
    blind: float

    def loss_around(self, step: float) -> float:
        """Return the loss at a step as the mean over ten steps around it, because single batches are noisy.

        At the very first step it is that step's loss alone. NaN if none was measured.
        """
        return _loss_around(self.run, step)

    def table(self) -> Table:
        return task.table(self.run.record)


def _loss_around(run: ExperimentRun, step: float) -> float:
    """Return the loss at a step; see `LensFilm.loss_around`."""
    at, losses = run.record["curve.step"], run.record["curve.loss"]
    near = losses[np.abs(at - step) <= (5 if len(at) and step > at[0] else 0)]
    return float(near.mean()) if len(near) else math.nan


def compute(inputs: Inputs, run: ExperimentRun) -> LensFilm:
    """Return the current loss of a run."""
    return LensFilm(run=run, now=_loss_around(run, run.step), blind=float(run.record["blind"]))


def draw(result: LensFilm, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the film, and in Numbers the loss curve."""
    record, tokenizer = run.record, experiment.tokenizer_of(run.record)
    steps = record["step"].tolist()
    notes = [_note(rank, _loss_around(run, step)) for step, rank in zip(steps, record["frames.rank"], strict=True)]
    lens_picture(
        {name: record[f"frames.{name}"] for name in task.FRAMES},
        tokens=tokenizer.tokens(record["probe"].tolist()),
        vocabulary=tokenizer.tokens(range(tokenizer.vocab_size)),
        key="lens-film",
        label=LABELS["favorites"],
        takeaway=LABELS("frames", n=len(steps), first=steps[0], last=steps[-1], note=notes[-1]),
        steps=steps,
        notes=notes,
    )
    if ui.depth_at_least("numbers"):
        ui.curves(
            {LABELS["training"]: (record["curve.step"], record["curve.loss"])},
            y=LABELS["loss_axis"],
            n_step=run.n_step,
            references={LABELS["blind"]: result.blind},
            height=240,
        )


def _note(rank: NDArray[np.generic], loss: float) -> str:
    known = rank[-1, :-1]
    n_right, n_known = int((known == 1).sum()), len(known)
    if math.isnan(loss):
        return LABELS("note", n_right=n_right, n_known=n_known)
    return LABELS("note.loss", loss=loss, n_right=n_right, n_known=n_known)
