"""The logit lens over a training: a small GPT learns stories, and its layers are read on the way."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import seed
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
        """The loss at a step: one batch is luck, so the mean over ten steps around it; the very first step alone.

        NaN where none is measured.
        """
        at, losses = self.run.record["curve.step"], self.run.record["curve.loss"]
        near = losses[np.abs(at - step) <= (5 if len(at) and step > at[0] else 0)]
        return float(near.mean()) if len(near) else math.nan

    def table(self) -> dict[str, list[Any]]:
        return task.table(self.run.record)


def compute(inputs: Inputs, run: Live) -> Film:
    """The frames of a training."""
    return Film(run)


def draw(result: Film, inputs: Inputs, run: Live) -> None:
    record, tokenizer = run.record, experiment.tokenizer_of(run.record)
    steps = record["step"].tolist()
    notes = [_note(rank, result.loss_around(step)) for step, rank in zip(steps, record["frames.rank"], strict=True)]
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
    now, blind = result.loss_around(run.step), float(record["blind"])
    if not math.isnan(now):
        ui.say("loss", now=now)
        ui.say("surprise", blind=blind)
    if ui.at_least("numbers"):
        ui.curves(
            {"training": (record["curve.step"], record["curve.loss"])},
            n_step=run.n_step,
            y="loss (nats per token)",
            references={"guessing blindly": blind},
            height=150,
        )


def _note(rank: NDArray[Any], loss: float) -> str:
    known = rank[-1, :-1]
    said = f"output right at {int((known == 1).sum())} of {len(known)}"
    return said if math.isnan(loss) else f"loss {loss:.2f}, {said}"
