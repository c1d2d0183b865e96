"""An encoder learns to label named entities: persons, places and organizations, word by word."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.data.synthetic import entities
from core.data.synthetic.entities import LABELS as ENTITY_LABELS, WORDS, EntitySentence
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.models.bert import BERT, BERTConfig
from core.nn.block import BlockStyle
from core.rooms.encoder.compute.finetune import NO_LABEL, bert_trainer, token_label_loss
from core.train.experiment import Record, rebuild_model
from core.train.experiments.base import Experiment

LABELS = module_labels(__name__)

BATCH, N_HELD, N_LIST = 32, 400, 2_000  # N_LIST: sentences from which the list of names is built
N_EVAL = 25
UNKNOWN_SHARE = 0.1  # share of a training sentence's words replaced by `<unknown>`, so that the context must suffice


class Options(Inputs):
    """The size of the model, and its training steps."""

    n_layer: int = segmented_control((1, 2), 2, name="entity_layers")
    n_step: int = hidden_training_steps(250, most=1_000)  # about ten seconds on one core


def config(n_layer: int) -> BERTConfig:
    """Return the config of a small encoder with an output for each token."""
    return BERTConfig(
        vocab_size=len(WORDS), context_length=entities.MAX_SENTENCE_WORDS + 1, n_layer=n_layer, n_head=2, d_model=32,
        d_ff=64, n_segment=0, head="tokens", n_label=len(ENTITY_LABELS), block=BlockStyle(activation="gelu"),
    )  # fmt: skip


class EntityBatch(NamedTuple):
    """Sentences as model input: ids, True where there is a word, and each word's label or `NO_LABEL`."""

    ids: Int[Tensor, "B T"]
    mask: Bool[Tensor, "B T"]
    labels: Int[Tensor, "B T"]


def entity_batch(some: list[EntitySentence]) -> EntityBatch:
    """Return sentences as tensors; `<class>` and padding have no label."""
    ids = torch.from_numpy(WORDS.batch([one.words for one in some]))
    labels = torch.full_like(ids, NO_LABEL)
    for row, one in zip(labels, some, strict=True):
        row[1 : 1 + len(one.labels)] = torch.tensor(one.labels)
    return EntityBatch(ids, ids != WORDS.pad_id, labels)


def held_out_entities(seed: int) -> list[EntitySentence]:
    """Return the held-out sentences."""
    return entities.draw_entity_sentences(N_HELD, np.random.default_rng([seed, 1]))


class Entities(Experiment):
    """One model, and the best list of names as a baseline. The seed determines the weights and all sentences.

    Its record: curve.f1 (of spans), curve.loss (n,), and confusion (true, predicted): the current counts, on the
    held-out sentences; list.f1, list.confusion: the same for the list.
    """

    title = LABELS["title"]
    learned = (
        "curve.f1 > 0.95",
        "list.f1 < 0.5",
    )
    n_eval = N_EVAL

    def begin(self) -> None:
        self.trainers = {"entities": bert_trainer(config(self.options.n_layer), self.seed, self.n_step)}
        sentences = held_out_entities(self.seed)
        self._held, self._true = entity_batch(sentences), [one.labels for one in sentences]
        names = entities.learn_word_labels(
            entities.draw_entity_sentences(N_LIST, np.random.default_rng([self.seed, 2]))
        )
        by_list = [entities.look_up_word_labels(names, one.words) for one in sentences]
        self._list: dict[str, ArrayLike] = {
            "list.f1": entities.score_entities(by_list, self._true).f1,
            "list.confusion": label_confusion(
                [i for row in self._true for i in row], [i for row in by_list for i in row]
            ),
        }

    def batch(self) -> tuple[Tensor, Tensor, Tensor]:
        text = entity_batch(entities.draw_entity_sentences(BATCH, self.rng))
        hidden = torch.from_numpy(self.rng.random(text.ids.shape) < UNKNOWN_SHARE) & (text.labels != NO_LABEL)
        return torch.where(hidden, WORDS.unknown_id, text.ids), text.mask, text.labels

    def loss(self, model: BERT, ids: Tensor, mask: Tensor, labels: Tensor) -> Tensor:
        return token_label_loss(model(ids, mask), labels)

    def measure(self) -> Mapping[str, ArrayLike]:
        held = self._held
        logits = self.trainers["entities"].model(held.ids, held.mask)
        said, asked = logits.argmax(-1), held.labels != NO_LABEL
        rows = [row[1 : 1 + len(one)].tolist() for row, one in zip(said, self._true, strict=True)]
        self._confusion = label_confusion(held.labels[asked].tolist(), said[asked].tolist())
        return {
            "curve.f1": entities.score_entities(rows, self._true).f1,
            "curve.loss": float(token_label_loss(logits, held.labels)),
        }

    def latest(self) -> Mapping[str, ArrayLike]:
        return self._list | {"confusion": self._confusion}


def recorded_tagger(record: Record, n_layer: int) -> BERT:
    """Return the model of a record, frozen."""
    model: BERT = rebuild_model(record, "entities", config(n_layer)).float()
    return model


def label_confusion(true: Sequence[int], said: Sequence[int]) -> NDArray[np.int32]:
    """Return how often a word of one label was given another (true, predicted)."""
    found = np.zeros((len(ENTITY_LABELS), len(ENTITY_LABELS)), np.int32)
    np.add.at(found, (list(true), list(said)), 1)
    return found
