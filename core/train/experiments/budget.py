"""When does the n-gram win? Counting against learning, on little text and on much, after few steps and after many.

Nets and n-grams read the same characters and are judged on the same slice of held-out text, in bits per character.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from core.data import corpora, tokenizers
from core.data.slices import half_windows
from core.models.ngram import NGram
from core.train.experiments.duel import NETS, Learner, Sizes, losses, recipe

SIZES = Sizes(d_model=(64, 64), n_head=4, context_length=64, batch_size=8, learning_rates=(0.03, 0.05),
              slopes=(2.0, 0.8, 0.3, 0.15))  # fmt: skip
SHARES: dict[str, int | None] = {"10k": 10_000, "100k": 100_000, "all": None}  # characters to learn from
ORDERS = (2, 3, 4, 5, 6)
N_WINDOW = 128  # of the evaluation slice: 4,096 judged characters
EVAL_EVERY = 25
MOST_STEPS = 1_000
CHARACTERS_PER_STEP = SIZES.batch_size * SIZES.context_length


@dataclass(frozen=True, kw_only=True)
class Options:
    """What can be set.

    Args:
        shares: from how much text they learn: "each", or one of "10k", "100k" and "all".
        n_step: training steps of each net.

    Raises:
        ValueError: if it is not possible.
    """

    shares: str = "each"
    n_step: int = 250

    def __post_init__(self) -> None:
        if self.shares != "each" and self.shares not in SHARES:
            raise ValueError(f"shares={self.shares!r} is none of each, {', '.join(SHARES)}")
        most = MOST_STEPS if self.shares == "each" else 3 * MOST_STEPS
        if not 1 <= self.n_step <= most:
            raise ValueError(f"{self.n_step} steps: from 1 to {most:,} are possible here, about a minute's worth")

    @property
    def names(self) -> tuple[str, ...]:
        """The amounts of text that are trained on."""
        return tuple(SHARES) if self.shares == "each" else (self.shares,)


@dataclass(frozen=True)
class Text:
    """A text in characters.

    Attributes:
        vocab_size: how many different characters, with the one for what is unknown.
        ids: (N,) the training text, the first nine tenths.
        held: (M,) the beginning of the last tenth.
        windows: (W, 65) of `held`; places: (W, 32) the judged characters in it, see `core.data.slices`.
    """

    vocab_size: int
    ids: NDArray[np.int64]
    held: NDArray[np.int64]
    windows: NDArray[np.int64]
    places: NDArray[np.int64]


@cache
def text(corpus: str) -> Text:
    """A text and its evaluation slice. Raises CorpusRefused if it is not there."""
    whole = corpora.load(corpus).text
    tokenizer = tokenizers.train("char", whole)
    ids, held = corpora.split(np.array(tokenizer.encode(whole)))  # type: ignore[type-var]
    windows, places = half_windows(held, SIZES.context_length, N_WINDOW)
    held = held[: places.max() + 1]
    for array in (ids, held, windows, places):
        array.flags.writeable = False
    return Text(tokenizer.vocab_size, ids, held, windows, places)


def ngram_bits(given: Text, n_character: int | None) -> NDArray[np.float32]:
    """Bits per character of interpolated n-grams of each of `ORDERS`, counted in the first `n_character` characters."""
    whole = NGram(ORDERS[-1], given.vocab_size, "interpolated").fit(given.ids[:n_character])
    found = []
    for order in ORDERS:
        model = NGram(order, given.vocab_size, "interpolated")
        model.levels = whole.levels[:order]  # a longer n-gram's tables hold those of all shorter ones
        found.append(-model.log_probs(given.held).numpy()[given.places].mean() / math.log(2))
    return np.array(found, dtype=np.float32)


class Budget:
    """A GRU and a GPT for each amount of text, one step of each at a time; the n-grams are counted at once.

    Args:
        options: see there.
        seed: of the weights and the batches.
    """

    title: ClassVar[str] = "When does the n-gram win? A real text"
    corpus: ClassVar[str] = "python-topics"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        given = text(self.corpus)
        self._windows = torch.tensor(given.windows)
        self._ids = {name: torch.tensor(given.ids[: SHARES[name]]) for name in options.names}
        self._ngrams = {name: ngram_bits(given, SHARES[name]) for name in options.names}
        self._learners = {
            (name, net): Learner(recipe(net, SIZES, self.n_step), given.vocab_size, seed)
            for name in options.names
            for net in NETS
        }
        self._generator = torch.Generator().manual_seed(seed)
        self._steps: list[int] = []
        self._curves: dict[tuple[str, str], list[float]] = {which: [] for which in self._learners}
        self._look()

    def advance(self) -> None:
        for name, ids in self._ids.items():
            pieces = ids.unfold(0, SIZES.context_length + 1, 1)
            batch = pieces[torch.randint(len(pieces), (SIZES.batch_size,), generator=self._generator)]
            for net in NETS:
                self._learners[name, net].learn(batch)
        self.step += 1
        if self.step % EVAL_EVERY == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        """step (n,); for each amount of text: curve.<amount>.<net> (n,) and ngram.<amount> (5,), bits per character;
        characters.<amount>: how many they learned from.
        """
        found: dict[str, NDArray[Any]] = {"step": np.array(self._steps, dtype=np.int32)}
        for name, ids in self._ids.items():
            found[f"characters.{name}"] = np.array(len(ids), dtype=np.int32)
            found[f"ngram.{name}"] = self._ngrams[name]
        found |= {
            f"curve.{name}.{net}": np.array(values, dtype=np.float32) for (name, net), values in self._curves.items()
        }
        return found

    def _look(self) -> None:
        self._steps.append(self.step)
        half = SIZES.context_length // 2
        for which, learner in self._learners.items():
            nats = float(losses(learner.model, self._windows)[:, half:].mean())
            self._curves[which].append(nats / math.log(2))
