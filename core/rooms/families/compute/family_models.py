"""The three families of an experiment on walks: how each is built, reads a walk, answers and is trained.
All decoding is greedy.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.data.padding_and_splits import pad_rows
from core.data.tokenizers.tokenizer_base import ids_before_end
from core.generate.seq2seq import greedy_decode
from core.models import registry
from core.models.bert import BERT, BERTConfig
from core.models.gpt import GPT, GPTConfig
from core.models.original_transformer import Transformer, TransformerConfig
from core.nn.block import BlockStyle
from core.rooms.families.compute import walks
from core.rooms.families.compute.walks import QUESTION_IDS, WORDS, Walk
from core.train.experiment import Record, rebuild_model
from core.train.experiments.fast_trainers import EMBEDDING_STD
from core.train.experiments.seq2seq import IGNORED_TARGET

LABELS = module_labels(__name__)

FAMILIES = ("decoder", "encoder", "encoder_decoder")
FAMILY_NAMES = {
    "decoder": LABELS["family.decoder"],
    "encoder": LABELS["family.encoder"],
    "encoder_decoder": LABELS["family.encoder_decoder"],
}
TASK_HEADS = {"classify": "sequence", "continue": "masked", "translate": "tokens"}  # of the encoder
N_CONTEXT = 24  # a walk of 8 things, its question, the longest answer and the end token are 21 tokens
BLOCK = BlockStyle()  # the same for all three: pre-norm, GELU
_SIZES: dict[str, Any] = {"vocab_size": len(walks.WORDS), "n_head": 4, "d_model": 48, "block": BLOCK}
DECODER = GPTConfig(n_layer=2, context_length=N_CONTEXT, **_SIZES)
ENCODER_DECODER = TransformerConfig(n_layer=1, **_SIZES)  # one block in the encoder, one in the decoder


def _encoder_config(task: str) -> BERTConfig:
    """Return the encoder's config with the head of one task; the body is the same for all three."""
    n_label = len(walks.PLACES) if task == "classify" else len(walks.FRENCH_WORDS)
    return BERTConfig(
        n_layer=2, context_length=N_CONTEXT, n_segment=0, head=TASK_HEADS[task], n_label=n_label, **_SIZES
    )


MAX_WORDS = walks.MAX_TYPED_THINGS + 3  # of a translation: two things need more than one word in French
Words = tuple[str, ...]


def decoder_input(walk: Walk, task: str) -> list[int]:
    """Return the text that a decoder continues: the walk, then the question."""
    return [*walks.encode(walk.things), QUESTION_IDS[task]]


def encoder_input(walk: Walk, task: str, filled: Sequence[int] = ()) -> list[int]:
    """Return an encoder's input: `<class>` and the walk; for "continue" also masks, the first of them filled in."""
    masks = [walks.MASK] * (walks.N_NEXT - len(filled)) if task == "continue" else []
    return [walks.CLASS, *walks.encode(walk.things), *filled, *masks]


def encoder_decoder_input(walk: Walk, task: str) -> list[int]:
    """Return the input of an encoder-decoder's encoder: the question, then the walk."""
    return [QUESTION_IDS[task], *walks.encode(walk.things)]


def _decode_words(ids: Sequence[int]) -> Words:
    return tuple(WORDS[i] for i in ids_before_end(ids, walks.END))


class FamilyModel(ABC):
    """One of the three families, with the interface of a model that a `Trainer` expects."""

    weights: dict[str, nn.Parameter]  # by name, each once

    @abstractmethod
    def loss(self, drawn: Sequence[Walk], rng: np.random.Generator) -> Tensor:
        """Return the mean loss in nats per answer token, over all three questions about these walks."""

    @abstractmethod
    def answers(self, asked: Sequence[Walk], task: str) -> list[Words]:
        """Return the family's answer to one question about each walk."""

    def named_parameters(self) -> Iterable[tuple[str, nn.Parameter]]:
        return self.weights.items()

    def parameters(self) -> Iterable[nn.Parameter]:
        return self.weights.values()

    def zero_grad(self) -> None:
        for w in self.weights.values():
            w.grad = None


class DecoderFamily(FamilyModel):
    """A GPT: walk, question and answer are one text; only the answer and its end contribute to the loss."""

    def __init__(self, model: GPT):
        self.model = model
        self.weights = dict(model.named_parameters())

    def loss(self, drawn: Sequence[Walk], rng: np.random.Generator) -> Tensor:
        rows, targets = [], []
        for walk, task in _questions(drawn):
            read, answer = decoder_input(walk, task), _answer(walk, task)
            rows.append(read + answer[:-1])
            targets.append([IGNORED_TARGET] * (len(read) - 1) + answer)
        return _loss(self.model(pad_rows(rows, walks.END)[0]), _pad_targets(targets))

    @torch.no_grad()
    def answers(self, asked: Sequence[Walk], task: str) -> list[Words]:
        """Generate word by word until the end token; each word is fed back as input."""
        rows = [decoder_input(walk, task) for walk in asked]
        n_read = [len(row) for row in rows]
        ended = [False] * len(rows)
        for _ in range(MAX_WORDS + 1):
            logits = self.model(pad_rows(rows, walks.END)[0])  # causal, so the padding at the end is not seen
            for i, row in enumerate(rows):
                if not ended[i]:
                    row.append(int(logits[i, len(row) - 1].argmax()))
                    ended[i] = row[-1] == walks.END
            if all(ended):
                break
        return [_decode_words(row[n:]) for row, n in zip(rows, n_read, strict=True)]


class EncoderFamily(FamilyModel):
    """A BERT with one head per task; all of its models share the same body object."""

    def __init__(self, models: dict[str, BERT]):
        self.models = models
        self.weights = dict(models["continue"].named_parameters())
        for task in ("classify", "translate"):
            self.weights |= {f"{task}.{name}": w for name, w in models[task].head.named_parameters()}

    def loss(self, drawn: Sequence[Walk], rng: np.random.Generator) -> Tensor:
        places = [walks.PLACES.index(walk.place) for walk in drawn]
        losses = [_loss(self._read("classify", drawn), torch.tensor(places))]
        filled, missing = [], []
        for walk, n in zip(drawn, rng.integers(walks.N_NEXT, size=len(drawn)), strict=True):
            answer = walks.encode(walk.answer("continue"))  # it sees the first n, as when it fills masks by itself
            filled.append(answer[:n])
            missing.append([IGNORED_TARGET] * (1 + len(walk.things) + n) + answer[n:])
        losses.append(_loss(self._read("continue", drawn, filled), _pad_targets(missing)))
        beside = []  # a French word at each thing's position; words that don't fit are left out of the loss
        for walk in drawn:
            said = [walks.FRENCH_WORDS.index(word) for word in walk.answer("translate")]
            beside.append([IGNORED_TARGET, *said[: len(walk.things)]])
        losses.append(_loss(self._read("translate", drawn), _pad_targets(beside)))
        return torch.stack(losses).mean()

    @torch.no_grad()
    def answers(self, asked: Sequence[Walk], task: str) -> list[Words]:
        """Predict all words in one pass; for "continue", fill one mask per pass."""
        model = self.models[task]
        if task == "classify":
            logits = model(*pad_rows([encoder_input(walk, task) for walk in asked], walks.END))  # (B, 2)
            return [(walks.PLACES[i],) for i in logits.argmax(-1).tolist()]
        if task == "translate":
            chosen = model(*pad_rows([encoder_input(walk, task) for walk in asked], walks.END)).argmax(-1).tolist()
            return [
                tuple(walks.FRENCH_WORDS[i] for i in row[1 : 1 + len(walk.things)])
                for row, walk in zip(chosen, asked, strict=True)
            ]
        filled: list[list[int]] = [[] for _ in asked]
        for n in range(walks.N_NEXT):
            rows = [encoder_input(walk, task, one) for walk, one in zip(asked, filled, strict=True)]
            logits = model(*pad_rows(rows, walks.END))
            for i, walk in enumerate(asked):
                filled[i].append(int(logits[i, 1 + len(walk.things) + n].argmax()))
        return [_decode_words(row) for row in filled]

    def _read(self, task: str, drawn: Sequence[Walk], filled: Sequence[Sequence[int]] | None = None) -> Tensor:
        filled = [()] * len(drawn) if filled is None else filled
        rows = [encoder_input(walk, task, one) for walk, one in zip(drawn, filled, strict=True)]
        logits: Tensor = self.models[task](*pad_rows(rows, walks.END))
        return logits


class EncoderDecoderFamily(FamilyModel):
    """The transformer of 2017: the encoder reads question and walk, the decoder writes the answer."""

    def __init__(self, model: Transformer):
        self.model = model
        self.weights = dict(model.named_parameters())

    def loss(self, drawn: Sequence[Walk], rng: np.random.Generator) -> Tensor:
        asked = _questions(drawn)
        source, mask = pad_rows([encoder_decoder_input(walk, task) for walk, task in asked], walks.END)
        target = [_answer(walk, task) for walk, task in asked]
        target_in = pad_rows([[walks.START, *row[:-1]] for row in target], walks.END)[0]
        return _loss(self.model(source, target_in, mask), _pad_targets(target))

    def answers(self, asked: Sequence[Walk], task: str) -> list[Words]:
        """Generate word by word until the end token; each word is fed back as input."""
        written = greedy_decode(
            self.model,
            *pad_rows([encoder_decoder_input(walk, task) for walk in asked], walks.END),
            start_id=walks.START,
            end_id=walks.END,
            max_new_tokens=MAX_WORDS + 1,
        )
        return [_decode_words(row) for row in written.tolist()]


@dataclass(frozen=True)
class ThreeFamilies:
    decoder: DecoderFamily
    encoder: EncoderFamily
    encoder_decoder: EncoderDecoderFamily

    def __getitem__(self, name: str) -> FamilyModel:
        family: FamilyModel = getattr(self, name)
        return family


def build_families(seed: int) -> ThreeFamilies:
    """Return all three with weights from this seed, untrained."""
    models = {task: registry.build(_encoder_config(task), seed) for task in walks.TASKS}
    decoder = registry.build(DECODER, seed)
    for model in (decoder, models["continue"]):
        _scale_embeddings(model)
    return ThreeFamilies(
        DecoderFamily(decoder),
        EncoderFamily(_share_body(models)),
        EncoderDecoderFamily(registry.build(ENCODER_DECODER, seed)),
    )


def rebuild_families(record: Record) -> ThreeFamilies:
    """Rebuild all three from a record, for inference."""
    body = {name: w for name, w in record.items() if name.startswith("model.encoder.") and ".head." not in name}
    models = {}
    for task in walks.TASKS:
        place = "model.encoder.head." if task == "continue" else f"model.encoder.{task}."
        head = {name.removeprefix(place): w for name, w in record.items() if name.startswith(place)}
        weights = {name.replace("model.encoder.", "model.one.", 1): w for name, w in body.items()}
        weights |= {f"model.one.head.{name}": w for name, w in head.items()}
        models[task] = rebuild_model(weights, "one", _encoder_config(task)).float()
    return ThreeFamilies(
        DecoderFamily(rebuild_model(record, "decoder", DECODER).float()),
        EncoderFamily(models),
        EncoderDecoderFamily(rebuild_model(record, "encoder_decoder", ENCODER_DECODER).float()),
    )


def _share_body(models: dict[str, BERT]) -> dict[str, BERT]:
    for task in ("classify", "translate"):
        for name, part in models["continue"].named_children():
            if name != "head":
                setattr(models[task], name, part)
    return models


@torch.no_grad()
def _scale_embeddings(model: nn.Module) -> None:
    """Scale the embeddings up so that they are distinct at the start, as in `core.train.experiments.fast_trainers`."""
    for name, weights in model.named_parameters():
        if "_emb." in name:
            weights.mul_(EMBEDDING_STD / 0.02)


def _questions(drawn: Sequence[Walk]) -> list[tuple[Walk, str]]:
    return [(walk, task) for walk in drawn for task in walks.TASKS]


def _answer(walk: Walk, task: str) -> list[int]:
    return [*walks.encode(walk.answer(task)), walks.END]


def _pad_targets(targets: Sequence[Sequence[int]]) -> Tensor:
    return pad_rows(targets, IGNORED_TARGET)[0]


def _loss(logits: Tensor, wanted: Tensor) -> Tensor:
    return nn.functional.cross_entropy(logits.flatten(0, -2), wanted.flatten(), ignore_index=IGNORED_TARGET)
