"""When does the n-gram win? Counting compared with learning, on little and much text, after few and many steps.

Nets and n-grams read the same characters and are evaluated on the same held-out slice, in bits per character.
"""

import math
import time
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.data.padding_and_splits import EvaluationSplit, tokenize_and_split_corpus
from core.exhibit import Inputs, Table, hidden_training_steps, segmented_control
from core.models.ngram import NGram
from core.train.experiment import Record
from core.train.experiments.gru_and_gpt import GRUAndGPTExperiment, GRUAndGPTSettings, second_half_losses

LABELS = module_labels(__name__)

SIZES = GRUAndGPTSettings(d_model=(64, 64), n_head=4, context_length=64, batch_size=8, learning_rates=(0.03, 0.05),
              slopes=(2.0, 0.8, 0.3, 0.15))  # fmt: skip
CHARACTER_SHARES: dict[str, int | None] = {"10k": 10_000, "100k": 100_000, "all": None}  # training characters
AMOUNTS = LABELS.options("amount", *CHARACTER_SHARES)
NETS = {"gpt": "GPT", "gru": "GRU"}
ORDERS = (2, 3, 4, 5, 6)
N_WINDOW = 128  # in the evaluation slice: 4,096 evaluated characters
EVAL_EVERY = 25
CHARACTERS_PER_STEP = SIZES.batch_size * SIZES.context_length


class Options(Inputs, prefix="budget_"):
    shares: str = segmented_control(("each", *CHARACTER_SHARES), "each", heading="")
    n_step: int = hidden_training_steps(
        250, most=lambda i: 3_000 // len(_share_names(i.shares))
    )  # about a minute, shared by all amounts


def _share_names(shares: str) -> tuple[str, ...]:
    return tuple(CHARACTER_SHARES) if shares == "each" else (shares,)


def budget_text(corpus: str) -> EvaluationSplit:
    """Return a text in characters and its evaluation slice. Raises CorpusRefused if the corpus is not available."""
    return tokenize_and_split_corpus(corpus, "char", SIZES.context_length, N_WINDOW)


def ngram_bits(given: EvaluationSplit, n_character: int | None) -> NDArray[np.float32]:
    """Return (5,) the bits per character of interpolated n-grams of `ORDERS`, fitted to the first n_character ones."""
    vocab_size = given.tokenizer.vocab_size
    whole = NGram(ORDERS[-1], vocab_size, "interpolated").fit(given.ids[:n_character])
    found = []
    for order in ORDERS:
        model = NGram(order, vocab_size, "interpolated")
        model.levels = whole.levels[:order]  # a longer n-gram's tables contain those of all shorter ones
        found.append(-model.log_probs(given.held).numpy()[given.places].mean() / math.log(2))
    return np.array(found, dtype=np.float32)


class Budget(GRUAndGPTExperiment):
    """A GRU and a GPT for each amount of text; the n-grams are counted at the start.

    Its record, for each amount of text: curve.<amount>.<net> (n,) and ngram.<amount> (5,), bits per character;
    characters.<amount>: training characters; seconds.<amount>.<net> (n,); seconds.<amount>.ngram: the time of counting
    and evaluating all five n-grams.
    """

    title = LABELS["title"]
    keeps_weights = False
    corpus: ClassVar[str] = "python-topics"
    sizes, eval_every, keeps_seconds = SIZES, EVAL_EVERY, True

    def begin(self) -> None:
        given, amounts = budget_text(self.corpus), _share_names(self.options.shares)
        self._windows = torch.tensor(given.windows)
        self._ids = {name: torch.tensor(given.ids[: CHARACTER_SHARES[name]]) for name in amounts}
        self._fixed: dict[str, ArrayLike] = {}
        for name, ids in self._ids.items():
            started = time.thread_time()
            self._fixed[f"ngram.{name}"] = ngram_bits(given, CHARACTER_SHARES[name])
            self._fixed[f"seconds.{name}.ngram"] = np.float32(time.thread_time() - started)
            self._fixed[f"characters.{name}"] = len(ids)
        self.meet(given.tokenizer.vocab_size, amounts)

    def windows(self, pair: str) -> Int[Tensor, "B T_plus_1"]:
        pieces = self._ids[pair].unfold(0, SIZES.context_length + 1, 1)
        return pieces[torch.randint(len(pieces), (SIZES.batch_size,), generator=self.generator)]

    def measure(self) -> Mapping[str, ArrayLike]:
        nats = {name: second_half_losses(net.model, self._windows).mean() for name, net in self.trainers.items()}
        return {f"curve.{name}": float(loss) / math.log(2) for name, loss in nats.items()}

    def latest(self) -> Mapping[str, ArrayLike]:
        return self._fixed


def table(record: Record) -> Table:
    """Return the bits per character of every net at every evaluation, and of every n-gram, for each amount of text."""
    amounts = [name for name in AMOUNTS if f"ngram.{name}" in record]
    rows = [
        (AMOUNTS[name], label, int(step), float(seconds), float(bits))
        for name in amounts
        for net, label in NETS.items()
        for step, seconds, bits in zip(
            record["step"], record[f"seconds.{name}.{net}"], record[f"curve.{name}.{net}"], strict=True
        )
    ]
    rows += [
        (AMOUNTS[name], LABELS("n_gram", order=order), 0, float(record[f"seconds.{name}.ngram"]), float(bits))
        for name in amounts
        for order, bits in zip(ORDERS, record[f"ngram.{name}"], strict=True)
    ]
    titles = ("learned_from", "model", "step", "seconds", "bits")
    return dict(zip(LABELS.options("column", *titles).values(), map(list, zip(*rows, strict=True)), strict=True))
