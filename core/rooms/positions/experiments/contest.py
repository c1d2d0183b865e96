"""Six position encodings for a causal model, trained side by side on one task and on the same batches.

They are tested within the trained length and up to four times beyond it. The best one depends on the task: fetching
the token three places back needs exact offsets; continuing a text mostly needs the last few letters.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core.data import corpora, tokenizers
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps, segmented_control, slider
from core.models.gpt import GPT
from core.nn.positions import POSITION_SCHEMES
from core.train import objectives
from core.train.experiments.base import Experiment, every_nth_step
from core.train.experiments.gru_and_gpt import NextTokenTrainer
from core.train.recipes import Recipe, fast_learning_model_config
from core.train.tasks.defaults import ModelSize

LABELS = module_labels(__name__)

TRAINED = 32  # tokens of a training sequence
LONGEST = 4 * TRAINED  # tokens of a test sequence
CORPUS = "python-topics"
N_SYMBOL = 16
BATCH = 16
NAMES: Mapping[str, str] = {
    "none": LABELS["scheme.none"],
    "learned": LABELS["scheme.learned"],
    "sinusoidal": LABELS["scheme.sinusoidal"],
    "rotary": LABELS["scheme.rotary"],
    "alibi": LABELS["scheme.alibi"],
    "relative": LABELS["scheme.relative"],
}
N_LIVE, N_FINAL = 16, 128  # sequences in an evaluation during training, and at the end
EVAL_EVERY = 20
IGNORED = -100  # target of a position without an answer


class Options(Inputs, prefix="contest_"):
    """The task that the models learn."""

    task: str = segmented_control(("back", "text"), "back")
    back: int = slider(1, 8, 3, when=lambda i: i.task == "back")
    n_step: int = hidden_training_steps(200, most=1_000)  # of each of the six models


def recipe(options: Options, positions: str) -> Recipe:
    """Return the training recipe of one model; the models differ only in their positions."""
    return Recipe(
        name="contest",
        title=positions,
        corpus=CORPUS,
        model=fast_learning_model_config(ModelSize(2, 4, 48, TRAINED), positions=positions, slopes=None),
        learning_rate=0.03,
        batch_size=BATCH,
        n_step=options.n_step,
    )


class Contest(Experiment):
    """One model for each scheme of `core.nn.positions.POSITION_SCHEMES`.

    Its record, for each scheme s: curve.s.inside, .beyond (n,): accuracy within the trained length, and in equally
    many tokens after it; at the end position.s (LONGEST,): accuracy at each position, nan if it has no answer or the
    model has no such position.
    """

    title = LABELS["title"]
    keeps_weights = False
    precision = np.float32

    def begin(self) -> None:
        self._judged = torch.Generator().manual_seed(self.seed + 1)  # test sequences have their own random generator
        self._text: tuple[Tensor, Tensor] | None = None
        vocab_size = N_SYMBOL
        if self.options.task == "text":
            text = corpora.load(CORPUS).text
            tokenizer = tokenizers.train_tokenizer("char", text)
            vocab_size = tokenizer.vocab_size
            self._text = objectives.split_ids(torch.tensor(tokenizer.encode(text)), LONGEST)
        self.trainers = {
            name: NextTokenTrainer(recipe(self.options, name), vocab_size, self.seed, np.float32)
            for name in POSITION_SCHEMES
        }
        self._live, self._final = self._sequences(N_LIVE), self._sequences(N_FINAL)

    def eval_steps(self) -> Iterable[int]:
        return {1, 5, 10, *every_nth_step(EVAL_EVERY, self.n_step)} - {0}

    def batch(self) -> tuple[Tensor, Tensor]:
        return self._draw(BATCH, TRAINED, self.generator, 0)

    def measure_one(self, model: GPT) -> Mapping[str, float]:
        right = position_accuracy(model, *self._live)
        return {"inside": _mean(right[:TRAINED]), "beyond": _mean(right[TRAINED : 2 * TRAINED])}

    def latest(self) -> Mapping[str, ArrayLike]:
        if self.step < self.n_step:
            return {}
        return {f"position.{name}": position_accuracy(one.model, *self._final) for name, one in self.trainers.items()}

    def _sequences(self, n: int) -> tuple[Tensor, Tensor]:
        """Draw long test sequences, unseen in training, and their answers."""
        return self._draw(n, LONGEST, self._judged, 1)

    def _draw(self, n: int, length: int, generator: torch.Generator, part: int) -> tuple[Tensor, Tensor]:
        """Draw (n, length) inputs and answers; for the text task, from its training (0) or its validation part (1)."""
        if self._text is not None:
            ids = self._text[part]
            return objectives.cut_windows(ids, torch.randint(len(ids) - length, (n,), generator=generator), length)
        inputs = torch.randint(N_SYMBOL, (n, length), generator=generator)
        targets = torch.full_like(inputs, IGNORED)
        targets[:, self.options.back :] = inputs[:, : -self.options.back]
        return inputs, targets


@torch.no_grad()
def position_accuracy(model: GPT, inputs: Tensor, targets: Tensor) -> NDArray[np.float32]:
    """Return (T,) the accuracy at each position; nan if it has no answer or the model has no such position.

    The model is causal, so its prediction at a position does not depend on the length of the sequence after it.
    """
    n_token = inputs.shape[1]
    if model.config.positions == "learned":  # its table ends at the trained length
        n_token = min(n_token, model.config.context_length)
    right = model(inputs[:, :n_token]).argmax(-1) == targets[:, :n_token]
    found = np.full(inputs.shape[1], np.nan, dtype=np.float32)
    found[:n_token] = right.float().mean(0).numpy()
    found[(targets == IGNORED).all(0).numpy()] = np.nan
    return found


def _mean(values: NDArray[np.float32]) -> float:
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")
