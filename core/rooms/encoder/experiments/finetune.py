"""The benefit of pretraining: a BERT reads unlabeled reviews, then learns to classify reviews from few labels.

In pretraining, words of unlabeled reviews are hidden and the model learns to fill them in. Then one classifier is
trained for each number of labeled reviews and each of three ways, all side by side: from scratch, from the pretrained
body with only the head trained (frozen), and from the pretrained body with everything trained (full).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core.data.localization.labels import module_labels
from core.data.synthetic import reviews
from core.data.synthetic.reviews import LABELS as REVIEW_LABELS, WORDS, Review
from core.exhibit import Inputs, hidden_training_steps
from core.models import registry
from core.models.bert import BERT, BERTConfig
from core.nn.block import BlockStyle
from core.rooms.encoder.compute.finetune import (
    HEAD,
    classification_loss,
    from_pretrained,
    pack_parameters,
    rescale_weights,
    round_to_record,
    trainable_parameters,
    unpack_parameters,
)
from core.train.experiment import Record
from core.train.experiments.base import Arrays, Experiment, every_nth_step
from core.train.experiments.masking import corrupt_tokens
from core.train.optimizers import AdamW, Muon
from core.train.trainer import Trainer, constant_then_linear
from core.train.weight_init_and_optimizer import MuonAdamW

LABELS = module_labels(__name__)

START_MODES = ("scratch", "frozen", "full")
NAMES = MappingProxyType(  # short, because they are shown above curves; the last two are pretrained
    {"scratch": LABELS["start.scratch"], "frozen": LABELS["start.frozen"], "full": LABELS["start.full"]}
)
SIZES = (10, 20, 50, 100, 300, 1_000)  # labeled reviews; smaller sets are the beginnings of larger ones
N_HELD = 500
N_FINE = 60  # fine-tuning steps of every model
BATCH, FINE_BATCH = 128, 32
SHARE = 0.3  # of the words that are masked; twice BERT's share, because reviews and training are short
RATES = {"scratch": 2e-3, "frozen": 1e-2, "full": 2e-3}
N_EVAL, N_FINE_EVAL = 24, 10  # number of evaluations
N_TRAIN = 200  # the maximum number of a model's own reviews that are evaluated
EMBEDDING = 0.15
HIDDEN_SHARE = 0.2  # share of the judging words hidden in held-out reviews, to see which side is expected


class Options(Inputs):
    """The total steps: pretraining, then 60 steps of fine-tuning (of fewer than 120 steps, the second half)."""

    n_step: int = hidden_training_steps(500 + N_FINE, most=1_200)  # about thirty seconds on one core

    @property
    def n_pretrain(self) -> int:
        return self.n_step - min(N_FINE, (self.n_step + 1) // 2)


def config(head: str) -> BERTConfig:
    """Return the config of a small encoder: two blocks of four heads, pre-norm."""
    return BERTConfig(
        vocab_size=len(WORDS), context_length=reviews.MAX_REVIEW_WORDS + 1, n_layer=2, n_head=4, d_model=48, d_ff=48,
        n_segment=0, head=head, n_label=len(REVIEW_LABELS), block=BlockStyle(activation="gelu"),
    )  # fmt: skip


class ReviewBatch(NamedTuple):
    """Reviews as model input: ids, True where there is a word, and the labels."""

    ids: Int[Tensor, "B T"]
    mask: Bool[Tensor, "B T"]
    labels: Int[Tensor, " B"]

    def some(self, rows: Tensor | slice) -> "ReviewBatch":
        return ReviewBatch(self.ids[rows], self.mask[rows], self.labels[rows])


def review_batch(some: list[Review]) -> ReviewBatch:
    """Return reviews as tensors."""
    ids = torch.from_numpy(WORDS.batch([one.words for one in some]))
    return ReviewBatch(ids, ids != WORDS.pad_id, torch.tensor([one.label for one in some]))


def labeled_reviews(seed: int) -> list[Review]:
    """Return all labeled reviews."""
    return reviews.draw_reviews(SIZES[-1], np.random.default_rng([seed, 2]))


def held_out_reviews(seed: int) -> list[Review]:
    """Return the held-out reviews."""
    return reviews.draw_reviews(N_HELD, np.random.default_rng([seed, 1]))


def gap_loss(model: BERT, text: ReviewBatch, generator: torch.Generator) -> Float[Tensor, ""]:
    """Return the loss of filling the gaps of a batch; only the masked positions are unembedded."""
    hidden = corrupt_tokens(
        text.ids, text.mask & (text.ids != WORDS.class_id), WORDS.mask_id, WORDS.n_plain, generator, SHARE
    )
    x = model.body(hidden.inputs, text.mask)[hidden.chosen]  # (N, D)
    return F.cross_entropy(model.head(x), hidden.targets[hidden.chosen])


def side_accuracy(model: BERT, text: ReviewBatch) -> float:
    """Return how often the context of a hidden judging word reveals its side.

    It is the share of hidden words for which the words of the right side get more probability together.
    """
    good, bad = (torch.tensor([WORDS.words.index(word) for word in words]) for words in (reviews.GOOD, reviews.BAD))
    is_good, is_bad = torch.isin(text.ids, good), torch.isin(text.ids, bad)
    lot = torch.rand(text.ids.shape, generator=torch.Generator().manual_seed(0))
    asked = (is_good | is_bad) & (lot < HIDDEN_SHARE)
    x = model.body(torch.where(asked, WORDS.mask_id, text.ids), text.mask)[asked]
    p = model.head(x).softmax(-1)  # (N, V)
    said = p[:, good].sum(-1) > p[:, bad].sum(-1)
    return float((said == is_good[asked]).float().mean())


@dataclass
class Tuning:
    """The fine-tuning of one model."""

    way: str  # one of `START_MODES`
    n_label: int  # labeled reviews that it may use
    model: BERT  # with a sequence head
    n_step: int  # fine-tuning steps
    seed: int
    # for a frozen body: the head's input for each labeled and each held-out review, computed once
    features: tuple[Float[Tensor, "N one D"], Float[Tensor, "M one D"]] | None = None

    def __post_init__(self) -> None:
        moving = trainable_parameters(self.model, frozen=self.way == "frozen")
        optimizer = AdamW(moving, learning_rate=RATES[self.way], betas=(0.9, 0.95), weight_decay=0.01)
        self.trainer = Trainer(self.model, optimizer, constant_then_linear(self.n_step), n_step=self.n_step, clip=1.0)
        self.generator = torch.Generator().manual_seed(self.seed)

    def learn(self, text: ReviewBatch) -> None:
        rows = torch.randperm(self.n_label, generator=self.generator)[:FINE_BATCH]
        self.trainer.learn(classification_loss(self._logits(text, 0, rows), text.labels[rows]))

    @torch.no_grad()
    def confusion(self, text: ReviewBatch, which: int, rows: Int[Tensor, " N"]) -> NDArray[np.int32]:
        """Return counts of reviews (true, predicted); `which`: 0 for the labeled, 1 for the held-out."""
        said = self._logits(text, which, rows).argmax(-1)
        return torch.bincount(text.labels[rows] * 2 + said, minlength=4).view(2, 2).numpy().astype(np.int32)

    def _logits(self, text: ReviewBatch, which: int, rows: Int[Tensor, " N"]) -> Float[Tensor, "N C"]:
        if self.features is not None:
            logits: Tensor = self.model.head(self.features[which][rows])
            return logits
        some = text.some(rows)
        longest = int(some.mask.sum(-1).max())  # saves the time for common padding
        found: Tensor = self.model(some.ids[:, :longest], some.mask[:, :longest])
        return found


class Finetune(Experiment):
    """Pretraining, then all fine-tuning runs side by side. The seed determines the weights and all reviews.

    Its record: step, curve.loss, curve.sides (n,) of the pretraining; fine.step; for each way w, fine.w.held and
    fine.w.own (m, sizes): accuracy on the held-out reviews and on its own; the current confusion.w (sizes, true,
    predicted).
    """

    title = LABELS["title"]

    def begin(self) -> None:
        n, model = self.options.n_pretrain, rescale_weights(registry.build(config("masked"), self.seed), EMBEDDING)
        # A word's side shows only in its context, a weak signal at first; Muon amplifies weak directions.
        matrices = {name: w for name, w in model.named_parameters() if w.ndim == 2 and name.startswith("blocks.")}
        others = {name: w for name, w in model.named_parameters() if name not in matrices}
        optimizer = MuonAdamW(Muon(matrices, learning_rate=0.02), AdamW(others, learning_rate=4e-3, betas=(0.9, 0.95)))
        self._body = Trainer(model, optimizer, constant_then_linear(n), n_step=n, clip=1.0)
        self._labelled, self._held = review_batch(labeled_reviews(self.seed)), review_batch(held_out_reviews(self.seed))
        self._tunings: list[Tuning] = []
        self._confusion: dict[str, NDArray[np.int32]] = {}
        if not n:
            self._turn()

    def eval_steps(self) -> Iterable[int]:
        n = self.options.n_pretrain
        return every_nth_step(max(1, n // N_EVAL), n)

    def learn(self) -> None:
        if not self._tunings:
            text = review_batch(reviews.draw_reviews(BATCH, self.rng))  # unlabeled
            self._body.learn(gap_loss(self._body.model, text, self.generator))
        for tuning in self._tunings:
            tuning.learn(self._labelled)

    def advance(self) -> None:
        super().advance()
        n, n_fine = self.options.n_pretrain, self.n_step - self.options.n_pretrain
        if self.step == n:
            self._turn()
        elif self.step > n:
            if self.step == self.n_step:
                for tuning in self._tunings:
                    round_to_record(tuning.model)
            if self.step - n in every_nth_step(max(1, n_fine // N_FINE_EVAL), n_fine):
                self._look_fine()

    def measure(self) -> Mapping[str, ArrayLike]:
        """Evaluate the pretraining."""
        model = self._body.model
        loss = gap_loss(model, self._held, torch.Generator().manual_seed(0))
        return {"curve.loss": float(loss), "curve.sides": side_accuracy(model, self._held)}

    def latest(self) -> Mapping[str, ArrayLike]:
        return self._confusion

    def weights(self) -> Arrays:
        if not self._tunings:
            return {}
        found = pack_parameters(_body(self._body.model), "body")
        for one in self._tunings:
            found |= pack_parameters(
                trainable_parameters(one.model, frozen=one.way == "frozen"), f"{one.way}.{one.n_label}"
            )
        return found

    @torch.no_grad()
    def _turn(self) -> None:
        """Create every model of the second part."""
        body = self._body.model
        round_to_record(body)
        features = tuple(body.body(text.ids, text.mask)[:, :1] for text in (self._labelled, self._held))
        n_fine = self.n_step - self.options.n_pretrain
        for way in START_MODES:
            for n in SIZES:
                if way == "scratch":
                    model = rescale_weights(registry.build(config("sequence"), self.seed + 1), EMBEDDING)
                else:
                    model = from_pretrained(body, "sequence", len(REVIEW_LABELS), self.seed + 1)
                    _scale_head(model)
                kept = (features[0], features[1]) if way == "frozen" else None
                self._tunings.append(Tuning(way, n, model, n_fine, self.seed, kept))
        self._look_fine()

    def _look_fine(self) -> None:
        """Evaluate every model on its own and on the held-out reviews."""
        self.keep("fine.step", self.step - self.options.n_pretrain)
        everyone = torch.arange(N_HELD)
        for way in START_MODES:
            ways = [one for one in self._tunings if one.way == way]
            held = np.stack([one.confusion(self._held, 1, everyone) for one in ways])  # (sizes, 2, 2)
            own = np.stack([one.confusion(self._labelled, 0, torch.arange(min(one.n_label, N_TRAIN))) for one in ways])
            self._confusion[f"confusion.{way}"] = held
            for what, counts in (("held", held), ("own", own)):
                right = counts[:, 0, 0] + counts[:, 1, 1]
                self.keep(f"fine.{way}.{what}", right / counts.sum((1, 2)))


def recorded_classifier(record: Record, way: str, n_label: int) -> BERT:
    """Return a classifier of a record, frozen."""
    model: BERT = registry.build_empty(config("sequence"))
    weights = unpack_parameters(record, f"{way}.{n_label}", trainable_parameters(model, frozen=way == "frozen"))
    if way == "frozen":
        weights |= unpack_parameters(record, "body", _body(model))
    registry.fill_weights(model, weights)
    return model.eval().requires_grad_(False)


def _body(model: BERT) -> dict[str, nn.Parameter]:
    return {name: w for name, w in model.named_parameters() if not name.startswith(HEAD)}


@torch.no_grad()
def _scale_head(model: BERT) -> None:
    for name, w in model.named_parameters():
        if name.startswith(HEAD) and w.ndim == 2:
            w.mul_(w.shape[1] ** -0.5 / 0.02)
