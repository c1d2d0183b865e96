"""Six ways to tell a causal model where its tokens stand, trained side by side on one task and on the same batches.

They are judged inside the length they were trained on, and up to four times beyond it. Which one is best depends on the
task: fetching the token three places back needs exact offsets, writing on a text needs roughly the last few letters.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from core.data import corpora, tokenizers
from core.models import registry
from core.models.gpt import GPT
from core.nn.positions import POSITIONS
from core.train import objectives
from core.train.device import Placement
from core.train.experiments.bounded import Bounded
from core.train.initialization import make_optimizer, start_weights
from core.train.recipes import Recipe
from core.train.trainer import Trainer

TASKS = ("back", "text")
TRAINED = 32  # tokens of a training sequence
LONGEST = 4 * TRAINED  # tokens of a sequence on which they are judged
CORPUS = "python-topics"
N_SYMBOL = 16
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "none": "none",
        "learned": "learned table",
        "sinusoidal": "sinusoidal",
        "rotary": "rotary",
        "alibi": "ALiBi",
        "relative": "relative (T5)",
    }
)
N_LIVE, N_FINAL = 16, 128  # sequences in an evaluation on the way, and at the end
EVAL_EVERY = 20
IGNORED = -100  # a position without an answer


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What is trained.

    Args:
        task: "back": say which token stood `back` places before, in a row of random ones; "text": the next letter.
        back: how far back.
        n_step: steps of each of the six models.

    Raises:
        ValueError: in plain words, if the task is unknown or a number is not possible.
    """

    most_in_browser: ClassVar = {"n_step": 1_000}
    task: str = "back"
    back: int = 3
    n_step: int = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.task not in TASKS:
            raise ValueError(f"task={self.task!r} is none of {', '.join(TASKS)}")
        if not 1 <= self.back <= 8:
            raise ValueError(f"back={self.back} is not within 1 to 8: farther back needs longer training sequences")


def recipe(options: Options, positions: str) -> Recipe:
    """The model, the same for all schemes but its positions, and its training."""
    return Recipe(
        name="contest",
        title=positions,
        corpus=CORPUS,
        model={
            "n_layer": 2,
            "n_head": 4,
            "d_model": 48,
            "context_length": TRAINED,
            "positions": positions,
            "embed_norm": True,
            "tied": False,
            "block": {"norm": "rms_plain", "activation": "relu2", "bias": False, "qk_norm": True},
        },
        learning_rate=0.03,
        batch_size=16,
        n_step=options.n_step,
    )


class Contest:
    """One model for each scheme of `core.nn.positions.POSITIONS`.

    Raises:
        core.data.corpora.CorpusRefused: if the text is not there.
    """

    title: ClassVar[str] = "The contest of positions"

    def __init__(self, options: Options, seed: int) -> None:
        self.options, self.n_step, self.step = options, options.n_step, 0
        self._generator = torch.Generator().manual_seed(seed)
        self._judged = torch.Generator().manual_seed(seed + 1)  # what they are judged on is drawn apart
        self._text: tuple[Tensor, Tensor] | None = None
        vocab_size = N_SYMBOL
        if options.task == "text":
            text = corpora.load(CORPUS).text
            tokenizer = tokenizers.train("char", text)
            vocab_size = tokenizer.vocab_size
            self._text = objectives.split(torch.tensor(tokenizer.encode(text)), LONGEST)
        self.recipes = {name: recipe(options, name) for name in POSITIONS}
        self.models: dict[str, GPT] = {}
        for name, one in self.recipes.items():
            self.models[name] = registry.build(one.config(vocab_size), seed)
            start_weights(self.models[name], one, seed)
        placement = Placement("cpu", "float32")
        self._trainers = {
            name: Trainer(
                model,
                make_optimizer(model, one, placement),
                one.learning_rate_share,
                n_step=self.n_step,
                dtype=np.float32,
            )
            for (name, one), model in zip(self.recipes.items(), self.models.values(), strict=True)
        }
        self._live, self._final = self._sequences(N_LIVE), self._sequences(N_FINAL)
        self._steps: list[int] = []
        self._curves: dict[str, list[tuple[float, float]]] = {name: [] for name in POSITIONS}

    def advance(self) -> None:
        """One step of all six models on the same batch."""
        inputs, targets = self._batch(self.recipes["none"].batch_size, TRAINED, self._generator, 0)
        for name, model in self.models.items():
            loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
            self._trainers[name].learn(loss)
        self.step += 1
        if self.step % EVAL_EVERY == 0 or self.step in (1, 5, 10, self.n_step):
            self._steps.append(self.step)
            for name, model in self.models.items():
                right = accuracy(model, *self._live)
                self._curves[name].append((_mean(right[:TRAINED]), _mean(right[TRAINED : 2 * TRAINED])))

    def record(self) -> dict[str, NDArray[Any]]:
        """What there is to see, for each scheme s:

        step (n,); curve.s.inside, .beyond (n,): accuracy within the trained length, and in as many tokens after it.
        position.s (LONGEST,): accuracy at each position at the end; nan where there is no answer, or no position.
        """
        found: dict[str, NDArray[Any]] = {"step": np.array(self._steps, dtype=np.int32)}
        for name, model in self.models.items():
            curve = np.array(self._curves[name], dtype=np.float32).reshape(-1, 2)
            found |= {f"curve.{name}.inside": curve[:, 0], f"curve.{name}.beyond": curve[:, 1]}
            if self.step == self.n_step:
                found[f"position.{name}"] = accuracy(model, *self._final)
        return found

    def _sequences(self, n: int) -> tuple[Tensor, Tensor]:
        """Long sequences that nothing was trained on, and their answers."""
        return self._batch(n, LONGEST, self._judged, 1)

    def _batch(self, n: int, length: int, generator: torch.Generator, part: int) -> tuple[Tensor, Tensor]:
        """(n, length) inputs and answers; of the text, from its training (0) or its validation part (1)."""
        if self._text is not None:
            ids = self._text[part]
            return objectives.windows(ids, torch.randint(len(ids) - length, (n,), generator=generator), length)
        inputs = torch.randint(N_SYMBOL, (n, length), generator=generator)
        targets = torch.full_like(inputs, IGNORED)
        targets[:, self.options.back :] = inputs[:, : -self.options.back]
        return inputs, targets


@torch.no_grad()
def accuracy(model: GPT, inputs: Tensor, targets: Tensor) -> NDArray[np.float32]:
    """(T,) share of right answers at each position; nan where there is no answer, or the model knows no position.

    The model is causal, so what it says at a position does not depend on how much longer the sequence is.
    """
    n_token = inputs.shape[1]
    if model.config.positions == "learned":  # its table ends with the trained length
        n_token = min(n_token, model.config.context_length)
    right = model(inputs[:, :n_token]).argmax(-1) == targets[:, :n_token]
    found = np.full(inputs.shape[1], np.nan, dtype=np.float32)
    found[:n_token] = right.float().mean(0).numpy()
    found[(targets == IGNORED).all(0).numpy()] = np.nan
    return found


def _mean(values: NDArray[np.float32]) -> float:
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")
