"""A real text for the ledger: a GRU and a GPT learn Python's documentation in word pieces, next to the n-grams."""

import hashlib
from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core.data import corpora
from core.data.localization.labels import module_labels
from core.data.padding_and_splits import EvaluationSplit, tokenize_and_split_corpus, tokenize_and_split_text
from core.data.tokenizers import Tokenizer
from core.exhibit import Inputs, hidden_training_steps
from core.models.gpt import GPTConfig
from core.models.rnn import RNNConfig
from core.train.experiment import pack_tokenizer
from core.train.experiments.gru_and_gpt import GRUAndGPTExperiment, GRUAndGPTSettings, recipe, second_half_losses

LABELS = module_labels(__name__)

CORPUS = "python-topics"
VOCAB_SIZE = 512
N_WINDOW = 128  # in the evaluation slice: 2,048 evaluated tokens
SIZES = GRUAndGPTSettings(d_model=(48, 48), n_head=4, context_length=32, batch_size=16, learning_rates=(0.03, 0.05),
              slopes=(2.0, 0.8, 0.3, 0.15))  # fmt: skip
EVAL_EVERY = 25


class Options(Inputs):
    n_step: int = hidden_training_steps(600, most=2_000)  # about half a minute on one core


def topics_text(tokenizer: Tokenizer | None = None) -> EvaluationSplit:
    """Return the text in 512 word pieces, the same for every seed. Raises CorpusRefused if it is not available.

    It is tokenized by a record's tokenizer, which may have learned from a different version of Python's documentation,
    or by its own.
    """
    if tokenizer is None:
        return tokenize_and_split_corpus(CORPUS, "bpe", SIZES.context_length, N_WINDOW, VOCAB_SIZE)
    return tokenize_and_split_text(tokenizer, corpora.load(CORPUS).text, SIZES.context_length, N_WINDOW)


def text_digest(given: EvaluationSplit) -> NDArray[np.uint8]:
    """Return (8,) a hash of the training text and its tokenizer."""
    return np.frombuffer(hashlib.sha256(given.ids.tobytes()).digest()[:8], dtype=np.uint8)


def config(net: str, vocab_size: int = VOCAB_SIZE) -> GPTConfig | RNNConfig:
    return recipe(net, SIZES, 1).config(vocab_size)


class LedgerTopics(GRUAndGPTExperiment):
    """The GRU and the GPT on the same windows of the text.

    Its record: curve.<net> (n,): mean nats per token on the evaluation slice; tokenizer; digest of the text.
    """

    title = LABELS["title"]
    sizes, eval_every = SIZES, EVAL_EVERY

    def begin(self) -> None:
        given = topics_text()
        self._about = {"tokenizer": pack_tokenizer(given.tokenizer), "digest": text_digest(given)}
        self._pieces = torch.tensor(given.ids).unfold(0, SIZES.context_length + 1, 1)
        self._windows = torch.tensor(given.windows)
        self.meet(VOCAB_SIZE)

    def windows(self, pair: str) -> Int[Tensor, "B T_plus_1"]:
        return self._pieces[torch.randint(len(self._pieces), (SIZES.batch_size,), generator=self.generator)]

    def measure(self) -> Mapping[str, ArrayLike]:
        nats = {name: second_half_losses(net.model, self._windows).mean() for name, net in self.trainers.items()}
        return {f"curve.{name}": float(loss) for name, loss in nats.items()}

    def latest(self) -> Mapping[str, ArrayLike]:
        return self._about
