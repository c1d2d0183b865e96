"""A small GPT learns to draft for the stories model, which is eight times as large: from text, or from the model.

One draft learns the next word of the stories; the other learns the large model's own probabilities (distillation). They
are evaluated by the acceptance rate of their guesses.
"""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import ArrayLike
from torch import Tensor
from torch.nn import functional as F

from core.data import corpora
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import DEFAULT_MODEL, ModelKey
from core.models.gpt import GPT, GPTConfig
from core.models.pretrained import Pretrained
from core.train.experiment import Record, rebuild_model, step_table
from core.train.experiments.base import Experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.gru_and_gpt import NextTokenTrainer
from core.train.recipes import Recipe
from core.train.tasks.defaults import FAST_BLOCK

LABELS = module_labels(__name__)

NAME = "draft"
VARIANTS = {"text": LABELS["variant.text"], "distilled": LABELS["variant.distilled"]}
WIDTHS = (8, 16, 32)
CONTEXT, BATCH, N_WINDOW = 48, 12, 48
LEARNING_RATE = 0.06
N_EVAL, EVAL_BEND = 24, 1.6  # number of evaluations; the first ones are closer together


class Options(Inputs, prefix="draft_"):
    """The width of both drafts; the model they draft for is 96 wide and has two layers."""

    d_model: int = segmented_control(WIDTHS, 32)
    n_step: int = hidden_training_steps(300, most=1_000)


def recipe(d_model: int, n_step: int) -> Recipe:
    """Return the recipe of a draft: one layer of two heads, and its training."""
    model = {
        "n_layer": 1,
        "n_head": 2,
        "d_model": d_model,
        "context_length": CONTEXT,
        "positions": "alibi",
        "slopes": [1.0, 0.1],
        "embed_norm": True,
        "tied": False,
        "block": dict(FAST_BLOCK),
    }
    return Recipe(
        name=NAME, title=NAME, corpus="", model=model, learning_rate=LEARNING_RATE, batch_size=BATCH, n_step=n_step
    )


def recorded_draft(run: ExperimentRun, variant: str = "text") -> GPT:
    """Return a trained draft, frozen."""
    options = Options(**run.options)
    config: GPTConfig = recipe(options.d_model, options.n_step).config(large_model().text_tokenizer.vocab_size)
    model: GPT = rebuild_model(run.record, variant, config).float()
    return model


def large_model() -> Pretrained:
    """Return the model that is drafted for."""
    return load_text_model(ModelKey.at(DEFAULT_MODEL))


class Draft(Experiment):
    """Two drafts trained on the same windows of the stories, and measured on the second half of each held-out window.

    Its record, for each variant v: curve.<v>.chance (n,): the mean of the sum of min(p, q), the acceptance probability;
    curve.<v>.kept (n,): the share of guesses that were accepted, with one guess sampled at each position; seconds.<v>
    (n,).
    """

    title = LABELS["title"]
    n_eval, eval_bend, eval_at = N_EVAL, EVAL_BEND, (1,)
    precision = np.float32
    keeps_seconds = True

    def begin(self) -> None:
        self._large = large_model()
        learned, held = map(
            torch.tensor, corpora.split_validation(self._large.text_tokenizer.encode(corpora.load("stories").text))
        )
        vocab_size = self._large.text_tokenizer.vocab_size
        self._windows = learned.unfold(0, CONTEXT + 1, 1)
        self._held = held[: N_WINDOW * CONTEXT].view(N_WINDOW, CONTEXT)
        self._p = self._probabilities(self._held)[:, CONTEXT // 2 :].double()  # (N, T, V)
        own = recipe(self.options.d_model, self.n_step)
        self.trainers = {name: NextTokenTrainer(own, vocab_size, self.seed) for name in VARIANTS}

    def batch(self) -> tuple[Tensor]:
        return (self._windows[torch.randint(len(self._windows), (BATCH,), generator=self.generator)],)

    def learn(self) -> None:
        (windows,) = self.batch()
        for name, trainer in self.trainers.items():
            with self.timed(name):
                logits = trainer.model(windows[:, :-1]).flatten(0, 1)  # (M, V)
                target = windows[:, 1:] if name == "text" else self._probabilities(windows[:, :-1])
                trainer.learn(F.cross_entropy(logits, target.flatten(0, 1)))

    def measure(self) -> Mapping[str, ArrayLike]:
        """Guess at every position of the held-out text, and accept or reject by the rule of `compute.rule`."""
        draws = torch.Generator().manual_seed(self.seed + 1)  # the same at each evaluation
        found: dict[str, ArrayLike] = {}
        for name, trainer in self.trainers.items():
            q = trainer.model(self._held)[:, CONTEXT // 2 :].double().softmax(-1)  # (N, T, V)
            guess = torch.multinomial(q.flatten(0, 1), 1, generator=draws)  # (M, 1)
            ratio = self._p.flatten(0, 1).gather(1, guess) / q.flatten(0, 1).gather(1, guess)
            kept = torch.rand(ratio.shape, generator=draws, dtype=torch.float64) < ratio
            found[f"curve.{name}.chance"] = float(torch.minimum(self._p, q).sum(-1).mean())
            found[f"curve.{name}.kept"] = float(kept.double().mean())
        return found

    @torch.no_grad()
    def _probabilities(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        """Return the large model's probabilities."""
        p: Tensor = self._large.model(ids).softmax(-1)
        return p


def table(record: Record) -> dict[str, list[float]]:
    """Return the acceptance probability, and the accepted share, evaluation by evaluation."""
    kinds = [(name, what) for name in VARIANTS for what in ("chance", "kept")]
    return step_table(record, {LABELS(what, variant=VARIANTS[name]): f"curve.{name}.{what}" for name, what in kinds})
