"""The bottle sentence as a text: a GRU and a GPT learn it side by side, to be compared with the n-grams.

"I poured water from the bottle into the cup until it was full. It is the …": the words just before the last noun are
always the same, so counting them leaves eight nouns. Only a model that remembers both nouns and reads the ending can
do better.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core.data import tokenizers
from core.data.localization.labels import module_labels
from core.data.synthetic import NOUNS, BottleAndCup, referents
from core.data.tokenizers import Tokenizer
from core.exhibit import Inputs, hidden_training_steps
from core.models.gpt import GPTConfig
from core.models.rnn import RNNConfig
from core.train.experiments.gru_and_gpt import GRUAndGPTExperiment, GRUAndGPTSettings, next_token_losses, recipe

LABELS = module_labels(__name__)

START_TEXT = "\n"  # comes before every sentence: all models read it, and its own loss is not counted
ANSWER_POSITION = 17  # position of the final noun among the tokens after the start
N_TOKEN = 20  # per line: the sentence, its answer and the line end
SIZES = GRUAndGPTSettings(d_model=(48, 32), n_head=4, context_length=N_TOKEN, batch_size=64,
                          learning_rates=(0.02, 0.02), positions="learned")  # fmt: skip
EVAL_EVERY = 10


class Options(Inputs):
    n_step: int = hidden_training_steps(300, most=1_500)  # about half a minute on one core


@dataclass(frozen=True)
class LedgerText:
    """The training text and the evaluation sentences."""

    tokenizer: Tokenizer  # one token for each word with the space before it
    ids: NDArray[np.int64]  # (N,) the training text, line after line
    lines: NDArray[np.int64]  # (80, 21) the same, one sentence per row, from its start token to its line end
    # (32, 21) the sentences with pairs of nouns that never occur together in the training text, in either order
    held: NDArray[np.int64]


def split_sentences(seed: int) -> tuple[list[BottleAndCup], list[BottleAndCup]]:
    """Return 80 training sentences and 32 held-out ones: 8 pairs of nouns, in both orders and with both endings.

    Every noun is in two of the held-out pairs (they form a ring), so that all eight nouns are the answer equally often
    in the training text, too. Bottle and cup are always held out.
    """
    others = list(NOUNS[2:])
    Random(seed).shuffle(others)
    ring = (*NOUNS[:2], *others)
    held = [(ring[i], ring[(i + away) % len(ring)]) for i in range(len(ring)) for away in (1, -1)]
    pairs = [(first, second) for first in NOUNS for second in NOUNS if first != second]
    train = [BottleAndCup(*pair, ending) for pair in pairs if pair not in held for ending in referents.ENDINGS]
    Random(seed).shuffle(train)
    return train, [BottleAndCup(*pair, ending) for pair in held for ending in referents.ENDINGS]


def bottle_text(seed: int) -> LedgerText:
    train, held = split_sentences(seed)
    joined = START_TEXT + "".join(sentence.text_with_answer + "\n" for sentence in train)
    tokenizer = tokenizers.train_tokenizer("word", joined)

    def rows(sentences: list[BottleAndCup]) -> NDArray[np.int64]:
        return np.array([tokenizer.encode(f"{START_TEXT}{sentence.text_with_answer}\n") for sentence in sentences])

    return LedgerText(tokenizer, np.array(tokenizer.encode(joined)), rows(train), rows(held))


def config(net: str, vocab_size: int) -> GPTConfig | RNNConfig:
    return recipe(net, SIZES, 1).config(vocab_size)


class Ledger(GRUAndGPTExperiment):
    """The GRU and the GPT on the same batches of sentences. The seed also selects the held-out pairs.

    Its record: curve.<net>.held, .train (n,): nats of the answer, on held-out and on training sentences.
    """

    title = LABELS["title"]
    learned = (
        "curve.gpt.held < 0.1",
        "curve.gru.held > 1.9",
    )
    sizes, eval_every = SIZES, EVAL_EVERY

    def begin(self) -> None:
        given = bottle_text(self.seed)
        self._lines, self._held = torch.from_numpy(given.lines), torch.from_numpy(given.held)
        self.meet(given.tokenizer.vocab_size)

    def windows(self, pair: str) -> Int[Tensor, "B T_plus_1"]:
        return self._lines[torch.randint(len(self._lines), (SIZES.batch_size,), generator=self.generator)]

    def measure(self) -> Mapping[str, ArrayLike]:
        parts = {"held": self._held, "train": self._lines[: len(self._held)]}
        return {
            f"curve.{name}.{part}": float(next_token_losses(net.model, rows)[:, ANSWER_POSITION].mean())
            for name, net in self.trainers.items()
            for part, rows in parts.items()
        }
