"""An encoder learns to name entities: for each word, whether it is part of a person, a place or an organization."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import NDArray
from torch import Tensor

from core.data.synthetic import entities
from core.data.synthetic.entities import LABELS, WORDS, Sentence
from core.models import registry
from core.models.bert import BERT, BERTConfig
from core.nn.block import BlockStyle
from core.rooms.encoder.compute.finetune import NO_LABEL, scaled, token_loss
from core.train.experiment import Record, rebuild
from core.train.experiments.bounded import Bounded
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, half_then_down

BATCH, N_HELD, N_LIST = 32, 400, 2_000  # N_LIST: sentences from which the list of names is made
N_LOOK = 25
UNKNOWN = 0.1  # of the words of a training sentence that are hidden as `<unknown>`, so that the others have to tell


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        n_layer: blocks of the encoder.
        n_step: training steps.
    """

    most_in_browser: ClassVar = {"n_layer": 2, "n_step": 1_000}  # about ten seconds on one core
    n_layer: int = 2
    n_step: int = 250


def config(n_layer: int) -> BERTConfig:
    """A small encoder with an answer for each token."""
    return BERTConfig(
        vocab_size=len(WORDS), context_length=entities.MOST + 1, n_layer=n_layer, n_head=2, d_model=32, d_ff=64,
        n_segment=0, head="tokens", n_label=len(LABELS), block=BlockStyle(activation="gelu"),
    )  # fmt: skip


class Batch(NamedTuple):
    """Sentences as a model reads them: ids, True where there is a word, each word's label or `NO_LABEL`."""

    ids: Int[Tensor, "B T"]
    mask: Bool[Tensor, "B T"]
    labels: Int[Tensor, "B T"]


def batch(some: list[Sentence]) -> Batch:
    """Sentences as tensors; `<class>` and padding have no label."""
    ids = torch.from_numpy(WORDS.batch([one.words for one in some]))
    labels = torch.full_like(ids, NO_LABEL)
    for row, one in zip(labels, some, strict=True):
        row[1 : 1 + len(one.labels)] = torch.tensor(one.labels)
    return Batch(ids, ids != WORDS.pad_id, labels)


def held_out(seed: int) -> list[Sentence]:
    """The sentences that measure."""
    return entities.draw(N_HELD, np.random.default_rng([seed, 1]))


class Entities:
    """One model, and beside it the best list of names. The seed is of the weights and of all sentences."""

    title: ClassVar[str] = "Named entities"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self.model: BERT = scaled(registry.build(config(options.n_layer), seed), 0.3)
        optimizer = AdamW(dict(self.model.named_parameters()), learning_rate=4e-3, betas=(0.9, 0.95))
        self._trainer = Trainer(self.model, optimizer, half_then_down(self.n_step), n_step=self.n_step, clip=1.0)
        self._rng = np.random.default_rng([seed, 0])
        self._sentences = held_out(seed)
        self._held = batch(self._sentences)
        self._true = [one.labels for one in self._sentences]
        table = entities.lookup(entities.draw(N_LIST, np.random.default_rng([seed, 2])))
        by_list = [entities.look_up(table, one.words) for one in self._sentences]
        self._list_f1 = entities.score(by_list, self._true).f1
        self._list_confusion = confusion([i for row in self._true for i in row], [i for row in by_list for i in row])
        self._curves: dict[str, list[float]] = {"step": [], "curve.f1": [], "curve.loss": []}
        self._confusion = np.zeros((len(LABELS), len(LABELS)), np.int32)
        self._look()

    def advance(self) -> None:
        text = batch(entities.draw(BATCH, self._rng))
        hidden = torch.from_numpy(self._rng.random(text.ids.shape) < UNKNOWN) & (text.labels != NO_LABEL)
        ids = torch.where(hidden, WORDS.unknown_id, text.ids)
        loss = token_loss(self.model(ids, text.mask), text.labels)
        self._trainer.learn(loss)
        self.step += 1
        if self.step % max(1, self.n_step // N_LOOK) == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {name: np.array(values) for name, values in self._curves.items()}
        found |= {"list.f1": np.array(self._list_f1), "list.confusion": self._list_confusion}
        return found | self._trainer.weights("entities") | {"confusion": self._confusion}

    @torch.no_grad()
    def _look(self) -> None:
        """F1 of spans, the loss, and which label was taken for which, on the held-out sentences."""
        logits = self.model(self._held.ids, self._held.mask)
        said = logits.argmax(-1)
        asked = self._held.labels != NO_LABEL
        rows = [row[1 : 1 + len(one)].tolist() for row, one in zip(said, self._true, strict=True)]
        self._curves["step"].append(self.step)
        self._curves["curve.f1"].append(entities.score(rows, self._true).f1)
        self._curves["curve.loss"].append(float(token_loss(logits, self._held.labels)))
        self._confusion = confusion(self._held.labels[asked].tolist(), said[asked].tolist())


def rebuilt(record: Record, n_layer: int) -> BERT:
    """The model of a record, frozen, to look at."""
    model: BERT = rebuild(record, "entities", config(n_layer)).float()
    return model


def confusion(true: Sequence[int], said: Sequence[int]) -> NDArray[np.int32]:
    """(true, said) how often a word of one label was given another."""
    found = np.zeros((len(LABELS), len(LABELS)), np.int32)
    np.add.at(found, (list(true), list(said)), 1)
    return found
