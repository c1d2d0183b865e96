"""Soft, sampled and arg-max attention learn the same thing side by side: to look at the card that was asked for.

Some cards lie on the table, each with a letter and a digit, and one letter is asked for; the answer is the digit beside
it. Nothing but the place tells the answer, so a model that looks at one card at random is right in 1 of S cases, and
by luck in 1 of 8 of the others.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from core.rooms.hard_attention.compute import card_model
from core.rooms.hard_attention.compute.card_model import N_DIGIT, N_LETTER, Fetch
from core.rooms.hard_attention.compute.hard_attention import (
    best_places,
    drawn_places,
    mixture,
    read_at,
    score_function_loss,
)
from core.train.experiments.bounded import Bounded
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, half_then_down

NAMES = MappingProxyType({"soft": "soft", "sampled": "sampled", "bare": "sampled, no baseline", "argmax": "arg-max"})
LETTERS = "ABCDEFGHIJKLMNOP"
BATCH = 64
LEARNING_RATE = 1e-2
N_HELD = 512
N_LOOK = 45  # times that the accuracies are measured
N_CARD = (4, 8, 16)
MEMORY = 0.9  # of the baseline: b = 0.9 b + 0.1 loss, as in Xu et al. 2015, section 4.1
MOMENTS = (0, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)  # shares of the training after which the weights are kept
VARIANTS = MappingProxyType(
    {"soft": "soft", "sampled": "sampled", "bare": "sampled", "argmax": "argmax"}
)  # name -> way of reading; "bare" has no baseline


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        n_card: cards on the table.
        n_step: training steps of each variant.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"n_step": 3_000}  # about ten seconds on one core
    n_card: int = 8
    n_step: int = 900

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_card not in N_CARD:
            raise ValueError(f"{self.n_card} cards: 4, 8 or 16 are possible, for there are 16 letters")


class Table(NamedTuple):
    """What lies on the table, and what is asked.

    Attributes:
        letters, digits: (B, S), of each card; no letter comes twice.
        question: (B,), the letter asked for.
        answer: (B,), the digit beside it.
        place: (B,), where that card lies.
    """

    letters: Int[Tensor, "B S"]
    digits: Int[Tensor, "B S"]
    question: Int[Tensor, " B"]
    answer: Int[Tensor, " B"]
    place: Int[Tensor, " B"]


def draw(n: int, n_card: int, generator: torch.Generator) -> Table:
    """n tables at random, with a question each."""
    letters = torch.rand(n, N_LETTER, generator=generator).argsort(-1)[:, :n_card]
    digits = torch.randint(N_DIGIT, (n, n_card), generator=generator)
    place = torch.randint(n_card, (n,), generator=generator)
    rows = torch.arange(n)
    return Table(letters, digits, letters[rows, place], digits[rows, place], place)


def held_out(seed: int, n_card: int) -> Table:
    """The tables that measure the accuracy: the first that the seed gives. Training goes on with those after them."""
    return draw(N_HELD, n_card, torch.Generator().manual_seed(seed))


def probe(seed: int, n_card: int) -> Table:
    """One table, and the question for each of its cards: row r asks for the letter of card r."""
    one = draw(1, n_card, torch.Generator().manual_seed(seed))
    letters, digits = one.letters.expand(n_card, -1), one.digits.expand(n_card, -1)
    return Table(letters, digits, one.letters[0], one.digits[0], torch.arange(n_card))


def cards(table: Table) -> list[str]:
    """The cards of its first row, as "K4"."""
    return [f"{LETTERS[letter]}{digit}" for letter, digit in zip(table.letters[0], table.digits[0], strict=True)]


class Chooser:
    """One variant: a model, how it reads and so how it learns.

    Args:
        variant: of `VARIANTS`.
        seed: of the weights and of the draws.
        n_step: of the training.
    """

    def __init__(self, variant: str, seed: int, n_step: int):
        self.way, self.has_baseline = VARIANTS[variant], variant == "sampled"
        self.model = card_model.build(seed)
        self.baseline = 0.0
        self._generator = torch.Generator().manual_seed(seed)
        optimizer = AdamW(dict(self.model.named_parameters()), learning_rate=LEARNING_RATE)
        self.trainer = Trainer(self.model, optimizer, half_then_down(n_step), n_step=n_step)

    def loss(self, table: Table) -> Float[Tensor, ""]:
        """What is made small. Its value is only a loss for soft and arg-max; see `score_function_loss`."""
        keys = self.model.keys(table.letters, table.digits)
        scores = self.model.scores(table.question, keys)
        if self.way == "soft":
            return F.cross_entropy(self.model.answer(mixture(scores.softmax(-1), keys)), table.answer)
        if self.way == "argmax":
            return F.cross_entropy(self.model.answer(read_at(keys, best_places(scores))), table.answer)
        places = drawn_places(scores.softmax(-1), self._generator)
        losses = F.cross_entropy(self.model.answer(read_at(keys, places)), table.answer, reduction="none")
        log_weights = scores.log_softmax(-1)[torch.arange(len(places)), places]
        made = score_function_loss(losses, log_weights, self.baseline)
        if self.has_baseline:
            mean = float(losses.detach().mean())
            self.baseline = mean if self.trainer.step == 0 else MEMORY * self.baseline + (1 - MEMORY) * mean
        return made

    def learn(self, table: Table) -> None:
        """One step."""
        self.trainer.learn(self.loss(table))


class Choosing:
    """Four variants of one model, from the same first weights, on the same tables.

    Args:
        options: see there.
        seed: of the weights, the tables and the draws.
    """

    title: ClassVar[str] = "Soft, sampled and arg-max attention"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._n_card = options.n_card
        self.choosers = {name: Chooser(name, seed, self.n_step) for name in VARIANTS}
        self._generator = torch.Generator().manual_seed(seed)
        self._held = draw(N_HELD, self._n_card, self._generator)  # `held_out`
        self._every = max(1, round(self.n_step / N_LOOK))
        self._moments = sorted({round(share * self.n_step) for share in MOMENTS})
        self._steps: list[int] = []
        self._curves: dict[str, list[tuple[float, float]]] = {name: [] for name in VARIANTS}
        self._kept: dict[str, list[dict[str, NDArray[np.float32]]]] = {name: [] for name in VARIANTS}
        self._look()

    def advance(self) -> None:
        """One step of all variants on the same tables."""
        table = draw(BATCH, self._n_card, self._generator)
        for chooser in self.choosers.values():
            chooser.learn(table)
        self.step += 1
        self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        """What there is to see, for each variant v:

        step (n,); curve.v.accuracy, .found (n,): right answers when it reads in its own way, weight on the right card.
        moment (m,); frames.v.<parameter> (m, ...): the weights after these steps.
        """
        found: dict[str, NDArray[Any]] = {
            "step": np.array(self._steps),
            "moment": np.array(self._moments[: len(self._kept["soft"])]),
        }
        for name in VARIANTS:
            curve = np.array(self._curves[name], dtype=np.float32)
            found |= {f"curve.{name}.accuracy": curve[:, 0], f"curve.{name}.found": curve[:, 1]}
            for parameter in self._kept[name][0]:
                found[f"frames.{name}.{parameter}"] = np.stack([one[parameter] for one in self._kept[name]])
        return found

    def _look(self) -> None:
        """Measure the accuracies every few steps, and keep the weights at the moments."""
        if self.step % self._every == 0 or self.step == self.n_step:
            self._steps.append(self.step)
            for name, chooser in self.choosers.items():
                shares, found = accuracies(chooser.model, self._held)
                self._curves[name].append((shares[chooser.way], found))
        if self.step in self._moments:
            for name, chooser in self.choosers.items():
                self._kept[name].append({n: w.detach().numpy().copy() for n, w in chooser.model.named_parameters()})


@torch.no_grad()
def accuracies(model: Fetch, table: Table) -> tuple[dict[str, float], float]:
    """Share of right answers for each way of reading, and the mean weight on the right card.

    "sampled" is the exact expectation over the draws, not one draw: the sum of the weights of all cards that would lead
    to the right answer.
    """
    keys = model.keys(table.letters, table.digits)
    scores = model.scores(table.question, keys)
    weights = scores.softmax(-1)  # (B, S)
    hits = (model.answer(keys).argmax(-1) == table.answer[:, None]).float()  # (B, S): right after reading that card
    soft = (model.answer(mixture(weights, keys)).argmax(-1) == table.answer).float()
    rows = torch.arange(len(hits))
    shares = {
        "soft": float(soft.mean()),
        "sampled": float((weights * hits).sum(-1).mean()),
        "argmax": float(hits[rows, best_places(scores)].mean()),
    }
    return shares, float(weights[rows, table.place].mean())


def model_at(record: Any, variant: str, moment: int) -> Fetch:
    """A variant with the weights of one of the record's moments, to look at."""
    model = card_model.empty()
    with torch.no_grad():
        for name, place in model.named_parameters():
            place.copy_(torch.from_numpy(np.array(record[f"frames.{variant}.{name}"][moment])))
    return model.eval().requires_grad_(False)
