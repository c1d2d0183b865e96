"""When does the n-gram win? Counting against learning, on little text and on much, after few steps and after many.

Nets and n-grams read the same characters and are judged on the same slice of held-out text, in bits per character.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from core.data.slices import Sliced, sliced
from core.models.ngram import NGram
from core.train.experiment import Record
from core.train.experiments.bounded import Bounded
from core.train.experiments.duel import Duel, Sizes, late_losses

SIZES = Sizes(d_model=(64, 64), n_head=4, context_length=64, batch_size=8, learning_rates=(0.03, 0.05),
              slopes=(2.0, 0.8, 0.3, 0.15))  # fmt: skip
SHARES: dict[str, int | None] = {"10k": 10_000, "100k": 100_000, "all": None}  # characters to learn from
AMOUNTS = {"10k": "10,000 characters", "100k": "100,000 characters", "all": "all of the text"}
NETS = {"gpt": "GPT", "gru": "GRU"}
ORDERS = (2, 3, 4, 5, 6)
N_WINDOW = 128  # of the evaluation slice: 4,096 judged characters
LOOK_EVERY = 25
CHARACTERS_PER_STEP = SIZES.batch_size * SIZES.context_length


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
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
        super().__post_init__()
        if self.shares != "each" and self.shares not in SHARES:
            raise ValueError(f"shares={self.shares!r} is none of each, {', '.join(SHARES)}")

    @property
    def most_in_browser(self) -> Mapping[str, int]:
        """About a minute on one core, which all amounts share."""
        return {"n_step": 3_000 // len(self.names)}

    @property
    def names(self) -> tuple[str, ...]:
        """The amounts of text that are trained on."""
        return tuple(SHARES) if self.shares == "each" else (self.shares,)


def text(corpus: str) -> Sliced:
    """A text in characters and its evaluation slice. Raises CorpusRefused if it is not there."""
    return sliced(corpus, "char", SIZES.context_length, N_WINDOW)


def ngram_bits(given: Sliced, n_character: int | None) -> NDArray[np.float32]:
    """(5,) bits per character of interpolated n-grams of each of `ORDERS`, counted in the first `n_character` ones."""
    vocab_size = given.tokenizer.vocab_size
    whole = NGram(ORDERS[-1], vocab_size, "interpolated").fit(given.ids[:n_character])
    found = []
    for order in ORDERS:
        model = NGram(order, vocab_size, "interpolated")
        model.levels = whole.levels[:order]  # a longer n-gram's tables hold those of all shorter ones
        found.append(-model.log_probs(given.held).numpy()[given.places].mean() / math.log(2))
    return np.array(found, dtype=np.float32)


class Budget(Duel):
    """A GRU and a GPT for each amount of text; the n-grams are counted at once.

    Args:
        options: see there.
        seed: of the weights and the batches.
    """

    title: ClassVar[str] = "When does the n-gram win? A real text"
    corpus: ClassVar[str] = "python-topics"

    def __init__(self, options: Options, seed: int):
        given = text(self.corpus)
        self._windows = torch.tensor(given.windows)
        self._ids = {name: torch.tensor(given.ids[: SHARES[name]]) for name in options.names}
        self._fixed: dict[str, NDArray[Any]] = {}
        for name, ids in self._ids.items():
            started = time.thread_time()
            self._fixed[f"ngram.{name}"] = ngram_bits(given, SHARES[name])
            self._fixed[f"seconds.{name}.ngram"] = np.array(time.thread_time() - started, dtype=np.float32)
            self._fixed[f"characters.{name}"] = np.array(len(ids), dtype=np.int32)
        super().__init__(
            SIZES, options.names, vocab_size=given.tokenizer.vocab_size, n_step=options.n_step, seed=seed,
            look_every=LOOK_EVERY,
        )  # fmt: skip

    def batch(self, pair: str) -> Int[Tensor, "B T_plus_1"]:
        pieces = self._ids[pair].unfold(0, SIZES.context_length + 1, 1)
        return pieces[torch.randint(len(pieces), (SIZES.batch_size,), generator=self.generator)]

    def measure(self) -> dict[str, float]:
        return {
            f"{name}.{net}": float(late_losses(learner.model, self._windows).mean()) / math.log(2)
            for name, nets in self.pairs.items()
            for net, learner in nets.items()
        }

    def record(self) -> dict[str, NDArray[Any]]:
        """step (n,); for each amount of text: curve.<amount>.<net> (n,) and ngram.<amount> (5,), bits per character;
        characters.<amount>: how many they learned from; seconds.<amount>.<net> (n,), see `Duel.seconds`, and
        seconds.<amount>.ngram: what counting and judging all five n-grams took.
        """
        return self.curves() | self.seconds() | self._fixed


def table(record: Record, hidden: Sequence[str] = ()) -> dict[str, list[Any]]:
    """Bits per character of every net at every measured step, and of every n-gram, for each amount of text.

    Args:
        hidden: nets to leave out.
    """
    amounts = [name for name in AMOUNTS if f"ngram.{name}" in record]
    rows = [
        (AMOUNTS[name], label, int(step), float(seconds), float(bits))
        for name in amounts
        for net, label in NETS.items()
        if net not in hidden
        for step, seconds, bits in zip(
            record["step"], record[f"seconds.{name}.{net}"], record[f"curve.{name}.{net}"], strict=True
        )
    ]
    rows += [
        (AMOUNTS[name], f"{order}-gram", 0, float(record[f"seconds.{name}.ngram"]), float(bits))
        for name in amounts
        for order, bits in zip(ORDERS, record[f"ngram.{name}"], strict=True)
    ]
    titles = ("learned from", "model", "step", "seconds (n-grams: all five)", "bits per character")
    return dict(zip(titles, map(list, zip(*rows, strict=True)), strict=True))
