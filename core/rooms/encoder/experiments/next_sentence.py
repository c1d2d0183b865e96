"""BERT's second task: does one sentence follow another? The answer is read from `<class>`, through the tanh pooler.

Half of the second sentences come next in the story, half are from another story. Both sentences are in one row, each
ended by `<sep>`, and a segment embedding marks the sentence that a word belongs to.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import ArrayLike
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.data.synthetic import masked_stories
from core.data.synthetic.masked_stories import ENDS
from core.exhibit import Inputs, hidden_training_steps
from core.models.bert import BERT, BERTConfig
from core.nn.block import BlockStyle
from core.rooms.encoder.compute.finetune import bert_trainer
from core.train.experiment import Record, rebuild_model
from core.train.experiments.base import Experiment

LABELS = module_labels(__name__)

SEP = "<sep>"
MAX_WORDS = 20  # words of a sentence; the longest of the stories have 17
BATCH, N_HELD, N_EVAL = 64, 400, 25
OTHER, NEXT = 0, 1
Ids = tuple[int, ...]


class Options(Inputs):
    """The number of training steps."""

    n_step: int = hidden_training_steps(500, most=1_000)  # about twenty seconds on one core


def sep_id() -> int:
    """Return the id of `<sep>`, which comes after the ids of the stories' words."""
    return masked_stories.masked_story_vocabulary().vocab_size


def config() -> BERTConfig:
    """Return the config of a small BERT with two segments, whose head reads `<class>` through the tanh pooler."""
    return BERTConfig(
        vocab_size=sep_id() + 1, context_length=2 * MAX_WORDS + 3, n_layer=2, n_head=4, d_model=48, d_ff=96,
        n_segment=2, head="sequence", n_label=2, pool="tanh", block=BlockStyle(activation="gelu"),
    )  # fmt: skip


class PairRow(NamedTuple):
    """Two sentences as BERT's input."""

    ids: Ids  # `<class>` A `<sep>` B `<sep>`
    segments: Ids  # 0 for each token up to the first `<sep>`, 1 after it


def pair_row(first: Sequence[int], second: Sequence[int]) -> PairRow:
    """Return two sentences in one row, each cut to its first `MAX_WORDS` words."""
    a, b = tuple(first[:MAX_WORDS]), tuple(second[:MAX_WORDS])
    ids = (masked_stories.masked_story_vocabulary().class_id, *a, sep_id(), *b, sep_id())
    return PairRow(ids, (0,) * (len(a) + 2) + (1,) * (len(b) + 1))


class PairBatch(NamedTuple):
    """Rows, padded at the end: ids, True where there is a token, segments, and whether B comes next."""

    ids: Int[Tensor, "B T"]
    mask: Bool[Tensor, "B T"]
    segments: Int[Tensor, "B T"]
    labels: Int[Tensor, " B"]


def pair_batch(rows: Sequence[PairRow], labels: Sequence[int]) -> PairBatch:
    """Return rows as tensors."""
    pad = masked_stories.masked_story_vocabulary().pad_id
    ids, segments = (
        nn.utils.rnn.pad_sequence([torch.tensor(one[i]) for one in rows], batch_first=True, padding_value=value)
        for i, value in enumerate((pad, 0))
    )
    return PairBatch(ids, ids != pad, segments, torch.tensor(labels))


@cache
def story_sentences() -> tuple[tuple[tuple[Ids, ...], ...], ...]:
    """Return the training stories and the held-out ones, each as its sentences."""
    return tuple(tuple(map(_sentences, texts)) for texts in masked_stories.story_texts())


def _sentences(story: str) -> tuple[Ids, ...]:
    words = masked_stories.masked_story_vocabulary()
    ends = {i for sign in ENDS for i in words.encode(f"x{sign}")[1:]}
    found: list[list[int]] = [[]]
    for i in words.encode(story):
        found[-1].append(i)
        if i in ends:
            found.append([])
    return tuple(tuple(sentence) for sentence in found if sentence)


def sample_sentence_pairs(
    some: Sequence[Sequence[Ids]], n: int, rng: np.random.Generator
) -> tuple[list[tuple[Ids, Ids]], list[int]]:
    """Sample n pairs of sentences, and whether the second comes next in the story of the first."""
    pairs, labels = [], []
    for _ in range(n):
        here, other = rng.choice(len(some), 2, replace=False)
        at = int(rng.integers(1, len(some[here])))
        label = int(rng.integers(2))
        second = some[here][at] if label == NEXT else some[other][int(rng.integers(1, len(some[other])))]
        pairs.append((some[here][at - 1], second))
        labels.append(label)
    return pairs, labels


class NextSentence(Experiment):
    """A small BERT that is trained only on the second of BERT's two tasks.

    Its record: curve.accuracy (n,): accuracy on held-out pairs; curve.one_segment: the same without segments;
    curve.turned: the share of true pairs that are classified as next in reversed order.

    Source: Devlin et al. 2018 (1810.04805), section 3.1, task 2.
    """

    title = LABELS["title"]
    learned = (
        "curve.accuracy > 0.9 > curve.one_segment",
        "curve.turned < 0.3",
    )
    n_eval = N_EVAL

    def begin(self) -> None:
        self.trainers = {"next": bert_trainer(config(), self.seed, self.n_step)}
        self._held = held_out_pairs(self.seed)

    def batch(self) -> PairBatch:
        pairs, labels = sample_sentence_pairs(story_sentences()[0], BATCH, self.rng)
        return pair_batch([pair_row(*pair) for pair in pairs], labels)

    def measure(self) -> Mapping[str, ArrayLike]:
        (asked, turned), model = self._held, self.trainers["next"].model
        right = {
            "accuracy": model(asked.ids, asked.mask, asked.segments).argmax(-1) == asked.labels,
            "one_segment": model(asked.ids, asked.mask).argmax(-1) == asked.labels,
            "turned": model(turned.ids, turned.mask, turned.segments).argmax(-1) == NEXT,
        }
        return {f"curve.{name}": float(one.double().mean()) for name, one in right.items()}


def held_out_pairs(seed: int) -> tuple[PairBatch, PairBatch]:
    """Return pairs of held-out stories, and the true pairs among them in reversed order."""
    pairs, labels = sample_sentence_pairs(story_sentences()[1], N_HELD, np.random.default_rng([seed, 1]))
    turned = [pair_row(second, first) for (first, second), label in zip(pairs, labels, strict=True) if label == NEXT]
    return pair_batch([pair_row(*pair) for pair in pairs], labels), pair_batch(turned, [NEXT] * len(turned))


def recorded_model(record: Record) -> BERT:
    """Return the model of a record, frozen."""
    model: BERT = rebuild_model(record, "next", config()).float()
    return model
