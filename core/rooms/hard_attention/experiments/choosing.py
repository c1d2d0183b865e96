"""Soft, sampled and arg-max attention learn the same task side by side: to look at the card that was asked for.

Some cards are on the table, each with a letter and a digit, and one letter is asked for; the answer is the digit on
that card. Only the right card reveals the answer, so a model that looks at a random card is right in 1 of S cases, and
by chance in 1 of 8 of the others.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import ArrayLike
from torch import Tensor
from torch.nn import functional as F

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.rooms.hard_attention.compute import card_model
from core.rooms.hard_attention.compute.card_model import (
    N_DIGIT,
    N_LETTER,
    CardModel,
    argmax_positions,
    mix_positions,
    sample_positions,
    score_function_loss,
    select_positions,
)
from core.train.experiment import Record
from core.train.experiments.base import Experiment
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, constant_then_linear

LABELS = module_labels(__name__)

VARIANT_NAMES = {
    "soft": LABELS["variant.soft"],
    "sampled": LABELS["variant.sampled"],
    "bare": LABELS["variant.bare"],
    "argmax": LABELS["variant.argmax"],
}
LETTERS = "ABCDEFGHIJKLMNOP"
BATCH = 64
LEARNING_RATE = 1e-2
N_HELD = 512
N_EVAL = 45  # evaluations
N_CARD = (4, 8, 16)
BASELINE_DECAY = 0.9  # b = 0.9 b + 0.1 loss, as in Xu et al. 2015, section 4.1
MOMENT_FRACTIONS = (0, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)  # of the run, after which the weights are stored
READING_WAYS = {
    "soft": "soft",
    "sampled": "sampled",
    "bare": "sampled",
    "argmax": "argmax",
}  # name -> way of reading; "bare" has no baseline


class Options(Inputs, prefix="ways_"):
    n_card: int = segmented_control(N_CARD, 8, name="cards")
    n_step: int = hidden_training_steps(900, most=3_000)  # about ten seconds on one core


class CardTables(NamedTuple):
    """A batch of tables with cards, and a question for each."""

    letters: Int[Tensor, "B S"]  # of each card; no letter occurs twice in a row
    digits: Int[Tensor, "B S"]
    question: Int[Tensor, " B"]  # the letter asked for
    answer: Int[Tensor, " B"]  # the digit on its card
    place: Int[Tensor, " B"]  # the position of that card


def draw_tables(n: int, n_card: int, generator: torch.Generator) -> CardTables:
    """Draw n random tables, with a question each."""
    letters = torch.rand(n, N_LETTER, generator=generator).argsort(-1)[:, :n_card]
    digits = torch.randint(N_DIGIT, (n, n_card), generator=generator)
    place = torch.randint(n_card, (n,), generator=generator)
    rows = torch.arange(n)
    return CardTables(letters, digits, letters[rows, place], digits[rows, place], place)


def held_out_tables(seed: int, n_card: int) -> CardTables:
    """Return the tables for measuring accuracy: the first ones of the seed. Training uses those after them."""
    return draw_tables(N_HELD, n_card, torch.Generator().manual_seed(seed))


def probe_table(seed: int, n_card: int) -> CardTables:
    """Return one table, with a question for each of its cards: row r asks for the letter of card r."""
    one = draw_tables(1, n_card, torch.Generator().manual_seed(seed))
    letters, digits = one.letters.expand(n_card, -1), one.digits.expand(n_card, -1)
    return CardTables(letters, digits, one.letters[0], one.digits[0], torch.arange(n_card))


def card_names(table: CardTables) -> list[str]:
    """Return the cards of the first row, as "K4"."""
    return [f"{LETTERS[letter]}{digit}" for letter, digit in zip(table.letters[0], table.digits[0], strict=True)]


class VariantTrainer:
    """One of the `READING_WAYS`: a model and its way of reading, which determines how it learns."""

    def __init__(self, variant: str, seed: int, n_step: int):
        self.way, self.has_baseline = READING_WAYS[variant], variant == "sampled"
        self.model = card_model.build_card_model(seed)
        self.baseline = 0.0
        self._generator = torch.Generator().manual_seed(seed)
        optimizer = AdamW(dict(self.model.named_parameters()), learning_rate=LEARNING_RATE)
        self.trainer = Trainer(self.model, optimizer, constant_then_linear(n_step), n_step=n_step)

    def loss(self, table: CardTables) -> Float[Tensor, ""]:
        """Return the objective. Its value is a loss only for soft and arg-max; see `score_function_loss`."""
        keys = self.model.keys(table.letters, table.digits)
        scores = self.model.scores(table.question, keys)
        if self.way != "sampled":
            context = (
                mix_positions(scores.softmax(-1), keys)
                if self.way == "soft"
                else select_positions(keys, argmax_positions(scores))
            )
            return F.cross_entropy(self.model.answer(context), table.answer)
        places = sample_positions(scores.softmax(-1), self._generator)
        losses = F.cross_entropy(self.model.answer(select_positions(keys, places)), table.answer, reduction="none")
        log_weights = scores.log_softmax(-1)[torch.arange(len(places)), places]
        made = score_function_loss(losses, log_weights, self.baseline)
        if self.has_baseline:
            mean = float(losses.detach().mean())
            self.baseline = (
                mean if self.trainer.step == 0 else BASELINE_DECAY * self.baseline + (1 - BASELINE_DECAY) * mean
            )
        return made

    def learn(self, table: CardTables) -> None:
        self.trainer.learn(self.loss(table))


class Choosing(Experiment):
    """Four variants of one model, with the same initial weights and the same tables.

    Its record, for each variant v: curve.v.accuracy, .found (n,): right answers if it reads in its own way, weight on
    the right card; moment (m,); frames.v.<parameter> (m, ...): the weights after these steps.
    """

    title = LABELS["title"]
    learned = (
        "curve.soft.accuracy > 0.99",
        "curve.sampled.accuracy > 0.99",
        "0.93 < curve.soft.found < 0.99 < curve.sampled.found",  # sampling also penalizes small weights on other cards
        "0.174 < curve.argmax.accuracy < 0.295",  # chance: 1/8 + 7/64
        "max curve.argmax.found < 0.15",
    )
    n_eval = N_EVAL
    precision = np.float32

    def begin(self) -> None:
        self.choosers = {name: VariantTrainer(name, self.seed, self.n_step) for name in READING_WAYS}
        self._held = draw_tables(N_HELD, self.options.n_card, self.generator)  # `held_out_tables`
        self._keep_weights()

    def learn(self) -> None:
        table = draw_tables(BATCH, self.options.n_card, self.generator)
        for chooser in self.choosers.values():
            chooser.learn(table)

    def advance(self) -> None:
        super().advance()
        self._keep_weights()

    def measure(self) -> Mapping[str, ArrayLike]:
        found: dict[str, float] = {}
        for name, chooser in self.choosers.items():
            shares, weight = measure_accuracies(chooser.model, self._held)
            found |= {f"curve.{name}.accuracy": shares[chooser.way], f"curve.{name}.found": weight}
        return found

    def _keep_weights(self) -> None:
        if self.step not in {round(share * self.n_step) for share in MOMENT_FRACTIONS}:
            return
        self.keep("moment", self.step)
        for name, chooser in self.choosers.items():
            for parameter, w in chooser.model.named_parameters():
                self.keep(f"frames.{name}.{parameter}", w.detach().numpy().copy())


@torch.no_grad()
def measure_accuracies(model: CardModel, table: CardTables) -> tuple[dict[str, float], float]:
    """Return the fraction of right answers for each way of reading, and the mean weight on the right card.

    "sampled" is the exact expectation over the draws, not a single draw: the sum of the weights of all cards that would
    lead to the right answer.
    """
    keys = model.keys(table.letters, table.digits)
    scores = model.scores(table.question, keys)
    weights = scores.softmax(-1)  # (B, S)
    hits = (model.answer(keys).argmax(-1) == table.answer[:, None]).float()  # (B, S): right after reading that card
    soft = (model.answer(mix_positions(weights, keys)).argmax(-1) == table.answer).float()
    rows = torch.arange(len(hits))
    shares = {
        "soft": float(soft.mean()),
        "sampled": float((weights * hits).sum(-1).mean()),
        "argmax": float(hits[rows, argmax_positions(scores)].mean()),
    }
    return shares, float(weights[rows, table.place].mean())


def rebuild_at_moment(record: Record, variant: str, moment: int) -> CardModel:
    """Rebuild a variant with the weights of one of the record's moments, for inference."""
    model = card_model.empty_card_model()
    with torch.no_grad():
        for name, place in model.named_parameters():
            place.copy_(torch.from_numpy(np.array(record[f"frames.{variant}.{name}"][moment])))
    return model.eval().requires_grad_(False)
