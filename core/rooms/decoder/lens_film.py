"""The logit lens over a training: a small GPT learns stories, and its layers are read on the way."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.curves import Reference
from core.charts.race import race
from core.inputs import Inputs as Base
from core.inputs import seed
from core.rooms.decoder import predictions_widget
from core.rooms.decoder.compute.readout import read_layers, read_out, row_names
from core.rooms.decoder.experiments import lens as task
from core.train import experiment
from core.train.experiments.live import Live

EXPERIMENT = task.NAME
CODE = (task.Lens, read_layers, read_out)


class Inputs(Base, prefix="film_"):
    norm: str = task.Options.control("norm")
    tied: bool = task.Options.control("tied")
    seed: int = seed()


@dataclass(frozen=True)
class Film:
    run: Live

    def loss_around(self, step: float) -> float:
        """The loss at a step: one batch is luck, so the mean over ten steps around it; the very first step alone."""
        at, losses = self.run.record["curve.step"], self.run.record["curve.loss"]
        return float(losses[np.abs(at - step) <= (5 if step > at[0] else 0)].mean())

    def table(self) -> dict[str, list[Any]]:
        return task.table(self.run.record)


def compute(inputs: Inputs, run: Live) -> Film:
    """The frames of a training."""
    return Film(run)


def draw(result: Film, inputs: Inputs, run: Live) -> None:
    record, tokenizer = run.record, experiment.tokenizer_of(run.record)
    steps, notes = record["step"].tolist(), [_note(rank) for rank in record["frames.rank"]]
    predictions_widget.lens(
        top=record["frames.top"],
        probabilities=record["frames.probabilities"],
        rank=record["frames.rank"],
        truth=record["frames.truth"].astype(np.float32),
        rows=row_names(record["frames.rank"].shape[1] - 1),
        tokens=tokenizer.tokens(record["probe"].tolist()),
        vocabulary=tokenizer.tokens(range(tokenizer.vocab_size)),
        steps=steps,
        notes=notes,
        key="lens-film",
        label="Each layer's favorite at each position, over the training",
        takeaway=f"{len(steps)} frames, steps {steps[0]} to {steps[-1]}. {notes[-1]}.",
    )
    spec = race(
        {"training": (record["curve.step"], record["curve.loss"])},
        [Reference(float(record["blind"]), "guessing blindly")],
        y_title=ui.measured("loss", "nats per token"),
        n_step=run.n_step,
        mode=ui.color_mode(),
        height=190,
    )
    last = f"{record['curve.loss'][-1]:.3f}" if len(record["curve.loss"]) else "not measured yet"
    ui.chart(spec, alt=f"Loss of the batches by step; the last one: {last}.")


def _note(rank: NDArray[Any]) -> str:
    known = rank[-1, :-1]
    return f"output right at {int((known == 1).sum())} of {len(known)}"
