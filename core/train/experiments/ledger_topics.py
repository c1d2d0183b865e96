"""A real text for the ledger: a GRU and a GPT learn Python's documentation in word pieces, beside the n-grams."""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from core.data import corpora, tokenizers
from core.data.slices import half_windows
from core.data.tokenizers import Tokenizer
from core.train.experiments.duel import NETS, Learner, Sizes, losses, recipe

CORPUS = "python-topics"
VOCAB_SIZE = 512
N_WINDOW = 128  # of the evaluation slice: 2,048 judged tokens
SIZES = Sizes(d_model=(48, 48), n_head=4, context_length=32, batch_size=16, learning_rates=(0.03, 0.05),
              slopes=(2.0, 0.8, 0.3, 0.15))  # fmt: skip
EVAL_EVERY = 25
MOST_STEPS = 2_000


@dataclass(frozen=True, kw_only=True)
class Options:
    """What can be set.

    Args:
        n_step: training steps of each net.

    Raises:
        ValueError: if it is out of its limits.
    """

    n_step: int = 600

    def __post_init__(self) -> None:
        if not 1 <= self.n_step <= MOST_STEPS:
            raise ValueError(f"{self.n_step} steps: from 1 to {MOST_STEPS} are possible, about half a minute's worth")


@dataclass(frozen=True)
class Text:
    """What everybody learns from, and what they are judged on.

    Attributes:
        tokenizer: 512 pieces of words.
        ids: (N,) the training text, the first nine tenths.
        held: (M,) the beginning of the last tenth.
        windows: (W, 33) of `held`; places: (W, 16) the judged tokens in it, see `core.data.slices`.
    """

    tokenizer: Tokenizer
    ids: NDArray[np.int64]
    held: NDArray[np.int64]
    windows: NDArray[np.int64]
    places: NDArray[np.int64]


@cache
def text() -> Text:
    """The text, cut into pieces; the same for every seed. Raises CorpusRefused if it is not there."""
    whole = corpora.load(CORPUS).text
    tokenizer = tokenizers.train("bpe", whole, VOCAB_SIZE)
    ids, held = corpora.split(np.array(tokenizer.encode(whole)))  # type: ignore[type-var]
    windows, places = half_windows(held, SIZES.context_length, N_WINDOW)
    held = held[: places.max() + 1]
    for array in (ids, held, windows, places):
        array.flags.writeable = False
    return Text(tokenizer, ids, held, windows, places)


def config(net: str, vocab_size: int = VOCAB_SIZE) -> Any:
    """The model config of "gru" or "gpt"."""
    return recipe(net, SIZES, 1).config(vocab_size)


class LedgerTopics:
    """The GRU and the GPT, one step of each at a time, on the same windows of the text.

    Args:
        options: see there.
        seed: of the weights and the batches.
    """

    title: ClassVar[str] = "The chain-rule ledger: a real text"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        given = text()
        self._ids = torch.tensor(given.ids).unfold(0, SIZES.context_length + 1, 1)
        self._windows = torch.tensor(given.windows)
        self._learners = {net: Learner(recipe(net, SIZES, self.n_step), VOCAB_SIZE, seed) for net in NETS}
        self._generator = torch.Generator().manual_seed(seed)
        self._steps: list[int] = []
        self._curves: dict[str, list[float]] = {net: [] for net in NETS}
        self._look()

    def advance(self) -> None:
        starts = torch.randint(len(self._ids), (SIZES.batch_size,), generator=self._generator)
        for learner in self._learners.values():
            learner.learn(self._ids[starts])
        self.step += 1
        if self.step % EVAL_EVERY == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        """step (n,); curve.<net> (n,): mean nats per token on the evaluation slice."""
        found: dict[str, NDArray[Any]] = {"step": np.array(self._steps, dtype=np.int32)}
        found |= {f"curve.{net}": np.array(values, dtype=np.float32) for net, values in self._curves.items()}
        for net, learner in self._learners.items():
            found |= learner.weights(net)
        return found

    def _look(self) -> None:
        self._steps.append(self.step)
        half = SIZES.context_length // 2
        for net, learner in self._learners.items():
            self._curves[net].append(float(losses(learner.model, self._windows)[:, half:].mean()))
