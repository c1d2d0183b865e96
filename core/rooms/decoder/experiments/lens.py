"""A small GPT learns stories, and the logit lens reads all of its layers during training.

The frames are taken at steps 0, 1, 2, 4, ..., because most of the change happens early.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import torch
from numpy.typing import ArrayLike

from core.data.localization.labels import module_labels
from core.data.tokenizers import Tokenizer
from core.exhibit import Column, Inputs, Table, hidden_training_steps, memoize, segmented_control, toggle
from core.inspect.logit_lens import logit_lens, logit_lens_row_names
from core.models.gpt import GPT
from core.train.experiment import Record, experiment_record, pack_tokenizer, rebuild_model, tokenizer_of
from core.train.experiments.base import Arrays, Experiment
from core.train.recipes import Recipe
from core.train.run import TrainRun
from core.train.trainer import weights_for_record
from core.train.watch.behavior_snapshots import frame_steps

LABELS = module_labels(__name__)

NAME = "lens"  # of the experiment
N_LAYER = 4
N_FRAME = 40
PROBE = "Tom and Mia played near the park. Mia hid under the bench."
FRAMES = {"top": np.uint16, "probabilities": np.float16, "rank": np.uint16, "truth": np.float16}


class Options(Inputs, prefix="film_"):
    """The model and its steps; norms are "pre" as in GPT-2, or "post" as in the original transformer of 2017."""

    norm: str = segmented_control(("pre", "post"), "pre")
    tied: bool = toggle(True)
    n_step: int = hidden_training_steps(500, most=1_000)


def recipe(options: Options) -> Recipe:
    """Return the recipe: four layers, 40 wide, on the stories."""
    return Recipe(
        name="lens",
        title=LABELS["title"],
        corpus="stories",
        tokenizer="word",
        model={
            "n_layer": N_LAYER,
            "n_head": 4,
            "d_model": 40,
            "context_length": 32,
            "positions": "learned",
            "tied": options.tied,
            "block": {"norm_first": options.norm == "pre"},
        },
        optimizer="adamw",
        learning_rate=4e-3,
        batch_size=16,
        n_step=options.n_step,
    )


@memoize(1)
def stories_tokenizer() -> Tokenizer:
    """Return the tokenizer of the stories, which is the same for every run."""
    return tokenizer_of(experiment_record(NAME))


def recorded_config(record: Record, options: Options) -> object:
    return recipe(options).config(tokenizer_of(record).vocab_size)


def recorded_model(record: Record, options: Options) -> GPT:
    """Return the model of a record in its current state."""
    return rebuild_model(record, NAME, recorded_config(record, options))


def table(record: Record) -> Table:
    """Return, frame by frame, each layer's number of correct top predictions and mean probability of the true token."""
    ranks, truth = record["frames.rank"], record["frames.truth"].astype(np.float64)
    names = logit_lens_row_names(ranks.shape[1] - 1)
    found: dict[str, Column] = {LABELS["step"]: record["step"].tolist()}
    found |= {LABELS("in_front", layer=name): (ranks[:, n, :-1] == 1).sum(-1).tolist() for n, name in enumerate(names)}
    return found | {
        LABELS("mean_probability", layer=name): truth[:, n, :-1].mean(-1).round(4).tolist()
        for n, name in enumerate(names)
    }


class Lens(Experiment):
    """A training run recorded through the logit lens.

    Its record: step (n,); frames.top, frames.probabilities (n, L + 1, T, 5); frames.rank, frames.truth (n, L + 1, T);
    curve.step, curve.loss: nats per token; probe (T,); blind: ln V; tokenizer.
    """

    title = LABELS["title"]
    learned = (
        "first curve.loss > 5",
        "curve.loss < 1",
    )

    def begin(self) -> None:
        self.run = TrainRun(recipe(self.options), self.seed, "cpu", dtype="float32")
        self._tokenizer = pack_tokenizer(self.run.tokenizer)
        self._probe = torch.tensor(self.run.tokenizer.encode(PROBE))

    def eval_steps(self) -> Iterable[int]:
        return frame_steps(self.n_step, N_FRAME)

    def learn(self) -> None:
        self.run.advance(steps=1)

    def measure(self) -> Mapping[str, ArrayLike]:
        seen = logit_lens(self.run.model, self._probe)
        return {f"frames.{name}": getattr(seen, name).astype(kind) for name, kind in FRAMES.items()}

    def latest(self) -> Mapping[str, ArrayLike]:
        points = self.run.history
        return {
            "probe": self._probe.numpy().astype(np.int32),
            "blind": self.run.blind_loss,
            "tokenizer": self._tokenizer,
            "curve.step": np.array([p.step for p in points], dtype=np.int32),
            "curve.loss": np.array([p.loss for p in points], dtype=np.float32),
        }

    def weights(self) -> Arrays:
        return weights_for_record(self.run.model.named_parameters(), NAME, np.float32)
