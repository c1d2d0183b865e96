"""A small scaling law: GPTs of six widths with equal time each, then a seventh whose loss can be predicted.

Equal time cannot mean wall-clock time, because then no seed would give the same result twice. Instead, the number of
steps of each width follows from a fixed cost per step, which was fitted to measured times. The record also contains
the time that each width really took.
"""

import math
from collections.abc import Iterable, Mapping
from functools import cache

import numpy as np
import torch
from numpy.typing import ArrayLike

from core.data.localization.labels import module_labels
from core.data.padding_and_splits import EvaluationSplit, tokenize_and_split_corpus
from core.exhibit import Inputs, hidden_training_steps
from core.models.gpt import GPTConfig
from core.train.experiments.base import Experiment, every_nth_step
from core.train.experiments.gru_and_gpt import NextTokenTrainer, second_half_losses
from core.train.recipes import Recipe
from core.train.tasks.defaults import FAST_BLOCK

LABELS = module_labels(__name__)

WIDTHS = (8, 12, 16, 20, 24, 32)
NEXT_WIDTH = 48
CONTEXT, BATCH, N_WINDOW = 64, 12, 96
LEARNING_RATE = 0.05
N_STEP = 70
EVAL_EVERY = 6
# Milliseconds of one core per step: a fixed overhead for starting its operations, and its products.
# A least-squares fit to widths from 8 to 64; machines differ, but the ratios hardly do.
STEP_MS, WIDTH_MS = 3.3, 0.0018
SHARE_MS = 1600 / N_STEP  # for each model, in each share of the race


class Options(Inputs):
    """Shares of equal time: in the first six sevenths the six widths learn side by side, then the next one."""

    n_step: int = hidden_training_steps(N_STEP, most=210)  # about half a minute on one core


@cache
def scaling_text() -> EvaluationSplit:
    """Return the characters of Python's documentation, a text that none of these models can memorize."""
    return tokenize_and_split_corpus("python-topics", "char", CONTEXT, N_WINDOW)


def training_steps_of_width(width: int, n_step: int = N_STEP) -> int:
    """Return the number of training steps that a width gets in its equal time."""
    return max(1, round(n_step * SHARE_MS / (STEP_MS + WIDTH_MS * width**2)))


def recipe(width: int, n_step: int = N_STEP) -> Recipe:
    """Return the model and its training: two layers of two heads; only the width differs."""
    model = {
        "d_model": width,
        "n_layer": 2,
        "n_head": 2,
        "context_length": CONTEXT,
        "positions": "alibi",
        "slopes": [0.5, 0.06],
        "embed_norm": True,
        "tied": False,
        "block": dict(FAST_BLOCK),
    }
    return Recipe(
        name=f"width {width}", title=LABELS("width", width=width), corpus="", model=model, learning_rate=LEARNING_RATE,
        batch_size=BATCH, n_step=training_steps_of_width(width, n_step),
    )  # fmt: skip


def config(width: int, vocab_size: int) -> GPTConfig:
    found: GPTConfig = recipe(width).config(vocab_size)
    return found


class Scaling(Experiment):
    """Six widths side by side, then the next one; all see the same batches, and the faster ones see more of them.

    Its record: step (n,) shares of time at each evaluation; curve.<width> (n,) nats per character on held-out text;
    widths, parameters, steps (7,): each model's width, parameters and training steps so far; goals (7,): all its steps;
    seconds.spent (7,): of one core.
    """

    title = LABELS["title"]
    keeps_weights = False
    precision = np.float32

    def begin(self) -> None:
        given = scaling_text()
        self.n_first = self.n_step - self.n_step // 7
        self._windows = torch.tensor(given.windows)
        self._pieces = torch.tensor(given.ids).unfold(0, CONTEXT + 1, 1)
        vocab_size = given.tokenizer.vocab_size
        self.learners = {
            w: NextTokenTrainer(recipe(w, self.n_step), vocab_size, self.seed) for w in (*WIDTHS, NEXT_WIDTH)
        }
        self.trainers |= {str(width): learner for width, learner in self.learners.items()}
        self._generators = {w: torch.Generator().manual_seed(self.seed) for w in self.learners}
        self._goals = {w: training_steps_of_width(w, self.n_step) for w in self.learners}
        self._measured: dict[int, tuple[int, float]] = {}  # width -> the step of its last evaluation and the loss

    def eval_steps(self) -> Iterable[int]:
        return {self.n_first, *every_nth_step(EVAL_EVERY, self.n_step)}

    def learn(self) -> None:
        """Train for one share of time: each of the six or, when they are done, the next width."""
        done = self.step + 1
        if done <= self.n_first:
            for width in WIDTHS:
                self._learn(width, done / self.n_first)
        else:
            self._learn(NEXT_WIDTH, (done - self.n_first) / (self.n_step - self.n_first))

    def _learn(self, width: int, share: float) -> None:
        learner, generator = self.learners[width], self._generators[width]
        with self.timed(str(width)):
            while learner.step < math.ceil(share * self._goals[width] - 1e-9):
                learner.learn_windows(self._pieces[torch.randint(len(self._pieces), (BATCH,), generator=generator)])

    def measure(self) -> Mapping[str, ArrayLike]:
        """Evaluate each width that has learned since its last evaluation."""
        for width, learner in self.learners.items():
            if self._measured.get(width, (-1, 0.0))[0] != learner.step:
                self._measured[width] = learner.step, float(second_half_losses(learner.model, self._windows).mean())
        return {f"curve.{width}": loss for width, (_, loss) in self._measured.items()}

    def latest(self) -> Mapping[str, ArrayLike]:
        models = [learner.model for learner in self.learners.values()]
        return {
            "widths": list(self.learners),
            "parameters": [sum(p.numel() for p in model.parameters()) for model in models],
            "steps": [learner.step for learner in self.learners.values()],
            "goals": list(self._goals.values()),
            "seconds.spent": np.array(list(self.seconds.values()), np.float32),
        }
