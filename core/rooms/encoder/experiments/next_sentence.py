"""BERT's second task: do two sentences follow each other? Answered from `<class>`, through the tanh pooler.

Half of the second sentences are the ones that come next in the story, half are from another story. Both stand in one
row, each ended by `<sep>`, and a segment embedding says which sentence a word is of.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core.data.synthetic import gap_stories
from core.data.synthetic.gap_stories import ENDS
from core.models import registry
from core.models.bert import BERT, BERTConfig
from core.nn.block import BlockStyle
from core.rooms.encoder.compute.finetune import scaled
from core.train.experiment import Record, rebuild
from core.train.experiments.bounded import Bounded
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, half_then_down

SEP = "<sep>"
MOST = 20  # words of a sentence; the longest of the stories have 17
BATCH, N_HELD, N_LOOK = 64, 400, 25
OTHER, NEXT = 0, 1
CURVES = ("step", "curve.accuracy", "curve.one_segment", "curve.turned")
Ids = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """The training steps."""

    most_in_browser: ClassVar = {"n_step": 1_000}  # about twenty seconds on one core
    n_step: int = 500


def sep_id() -> int:
    """The id of `<sep>`, which comes after all others of the stories' words."""
    return gap_stories.words().vocab_size


def config() -> BERTConfig:
    """A small BERT with two kinds of segment, and the head that reads `<class>` through the tanh pooler."""
    return BERTConfig(
        vocab_size=sep_id() + 1, context_length=2 * MOST + 3, n_layer=2, n_head=4, d_model=48, d_ff=96, n_segment=2,
        head="sequence", n_label=2, pool="tanh", block=BlockStyle(activation="gelu"),
    )  # fmt: skip


class Row(NamedTuple):
    """Two sentences as BERT reads them.

    Attributes:
        ids: `<class>` A `<sep>` B `<sep>`.
        segments: 0 for each token up to the first `<sep>`, 1 after it.
    """

    ids: Ids
    segments: Ids


def row(first: Sequence[int], second: Sequence[int]) -> Row:
    """Two sentences in one row; of each the first `MOST` words."""
    a, b = tuple(first[:MOST]), tuple(second[:MOST])
    ids = (gap_stories.words().class_id, *a, sep_id(), *b, sep_id())
    return Row(ids, (0,) * (len(a) + 2) + (1,) * (len(b) + 1))


class Batch(NamedTuple):
    """Rows, padded at the end: ids, True where there is a token, segments, and whether B comes next."""

    ids: Int[Tensor, "B T"]
    mask: Bool[Tensor, "B T"]
    segments: Int[Tensor, "B T"]
    labels: Int[Tensor, " B"]


def batch(rows: Sequence[Row], labels: Sequence[int]) -> Batch:
    """Rows as tensors."""
    pad = gap_stories.words().pad_id
    ids, segments = (
        nn.utils.rnn.pad_sequence([torch.tensor(one[i]) for one in rows], batch_first=True, padding_value=value)
        for i, value in enumerate((pad, 0))
    )
    return Batch(ids, ids != pad, segments, torch.tensor(labels))


@cache
def stories() -> tuple[tuple[tuple[Ids, ...], ...], ...]:
    """The stories to learn from, and those held out, each as its sentences."""
    return tuple(tuple(map(_sentences, texts)) for texts in gap_stories.texts())


def _sentences(story: str) -> tuple[Ids, ...]:
    words = gap_stories.words()
    ends = {i for sign in ENDS for i in words.encode(f"x{sign}")[1:]}
    found: list[list[int]] = [[]]
    for i in words.encode(story):
        found[-1].append(i)
        if i in ends:
            found.append([])
    return tuple(tuple(sentence) for sentence in found if sentence)


def draw(some: Sequence[Sequence[Ids]], n: int, rng: np.random.Generator) -> tuple[list[tuple[Ids, Ids]], list[int]]:
    """n pairs of sentences, and whether the second comes next in the story of the first."""
    pairs, labels = [], []
    for _ in range(n):
        here, other = rng.choice(len(some), 2, replace=False)
        at = int(rng.integers(1, len(some[here])))
        label = int(rng.integers(2))
        second = some[here][at] if label == NEXT else some[other][int(rng.integers(1, len(some[other])))]
        pairs.append((some[here][at - 1], second))
        labels.append(label)
    return pairs, labels


class NextSentence:
    """One small BERT that learns the second of BERT's two tasks alone.

    Source: Devlin et al. 2018 (1810.04805), section 3.1, task 2.
    """

    title: ClassVar[str] = "Next-sentence prediction"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self.model: BERT = scaled(registry.build(config(), seed), 0.3)
        optimizer = AdamW(dict(self.model.named_parameters()), learning_rate=4e-3, betas=(0.9, 0.95))
        self._trainer = Trainer(self.model, optimizer, half_then_down(self.n_step), n_step=self.n_step, clip=1.0)
        self._rng = np.random.default_rng([seed, 0])
        self._held = held_out(seed)
        self._curves: dict[str, list[float]] = {name: [] for name in CURVES}
        self._look()

    def advance(self) -> None:
        pairs, labels = draw(stories()[0], BATCH, self._rng)
        text = batch([row(*pair) for pair in pairs], labels)
        loss = F.cross_entropy(self.model(text.ids, text.mask, text.segments), text.labels)
        self._trainer.learn(loss)
        self.step += 1
        if self.step % max(1, self.n_step // N_LOOK) == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {name: np.array(values) for name, values in self._curves.items()}
        return found | self._trainer.weights("next")

    @torch.no_grad()
    def _look(self) -> None:
        """Share right on held-out pairs; and, of those that belong together, the share called next the wrong way."""
        asked, turned = self._held
        said = self.model(asked.ids, asked.mask, asked.segments).argmax(-1)
        blind = self.model(asked.ids, asked.mask).argmax(-1)
        back = self.model(turned.ids, turned.mask, turned.segments).argmax(-1)
        right = (said == asked.labels, blind == asked.labels, back == NEXT)
        for name, value in zip(CURVES, (self.step, *(float(one.double().mean()) for one in right)), strict=True):
            self._curves[name].append(value)


def held_out(seed: int) -> tuple[Batch, Batch]:
    """Pairs of held-out stories; and those of them that belong together, in the wrong order."""
    pairs, labels = draw(stories()[1], N_HELD, np.random.default_rng([seed, 1]))
    turned = [row(second, first) for (first, second), label in zip(pairs, labels, strict=True) if label == NEXT]
    return batch([row(*pair) for pair in pairs], labels), batch(turned, [NEXT] * len(turned))


def rebuilt(record: Record) -> BERT:
    """The model of a record, frozen, to look at."""
    model: BERT = rebuild(record, "next", config()).float()
    return model
