"""Same question, three architectures: an encoder, a decoder and an encoder-decoder learn the same three tasks.

All three are built of the same block and see the same walks in the same order (`compute.walks`): in each step the
same texts, each with all three questions. What differs is who may read what, and where the answer is written:

- the decoder reads walk, question and its own answer so far, each place only what stands before it.
- the encoder reads the walk in both directions. One head reads `<class>` and says which place; one fills masks that
  stand at the end, from left to right; one names a French word at each place, so it has as many places as the walk.
- the encoder-decoder reads question and walk in both directions, and writes the answer beside it.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from torch import nn

from core.rooms.families.compute import walks
from core.rooms.families.compute.family_models import FAMILIES, NAMES, built
from core.rooms.families.compute.walks import Walk
from core.train.experiment import Record
from core.train.experiments.bounded import Bounded
from core.train.optimizers import AdamW
from core.train.trainer import weights_of

COLUMNS = ("classify", "continue", "translate", "longer")  # the last: translations longer than the walk
TITLES = MappingProxyType(
    {"classify": "classify", "continue": "continue", "translate": "translate", "longer": "translate, longer"}
)
BATCH = 24  # walks in a step; each is asked all three questions
N_HELD = 48  # walks of each kind: with a translation of their own length, and with a longer one
N_LOOK = 10  # times that all is measured, evenly
LEARNING_RATE = 4e-3


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        n_step: training steps of each family.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"n_step": 1_000}  # about a minute on one core
    n_step: int = 350


def held_out(seed: int) -> dict[bool, list[Walk]]:
    """The walks that measure: those with a translation of their own length (False), and those with a longer one."""
    rng = np.random.default_rng([seed, 1])
    return {longer: walks.draw(N_HELD, rng, longer=longer) for longer in (False, True)}


def task_of(column: str) -> str:
    """The task of one of the `COLUMNS`."""
    return "translate" if column == "longer" else column


def chances(seed: int) -> NDArray[np.float32]:
    """(columns,) how often blind guessing is right, on the mean over the walks that measure: see `walks.chance`."""
    held = held_out(seed)
    return np.array(
        [
            np.mean([walks.chance(task_of(c), len(walk.answer(task_of(c)))) for walk in held[c == "longer"]])
            for c in COLUMNS
        ],
        np.float32,
    )


def table(record: Record, seed: int, *, with_longer: bool = True) -> dict[str, list[Any]]:
    """One line for each family and question: shares that are right at the newest look, and what blind guessing has.

    Args:
        seed: of the record, from which the walks that measure were drawn.
        with_longer: whether the translations that are longer than the walk are told; before a guess they are not.
    """
    asked = [j for j, column in enumerate(COLUMNS) if with_longer or column != "longer"]
    rows = [(i, j) for i in range(len(FAMILIES)) for j in asked]
    exact, words, blind = record["curve.exact"][-1], record["curve.words"][-1], chances(seed)
    return {
        "family": [NAMES[FAMILIES[i]] for i, _ in rows],
        "task": [TITLES[COLUMNS[j]] for _, j in rows],
        "right as a whole": [float(exact[i, j]) for i, j in rows],
        "words right": [float(words[i, j]) for i, j in rows],
        "blind guessing": [float(blind[j]) for _, j in rows],
        "step": [int(record["step"][-1])] * len(rows),
        "seed": [seed] * len(rows),
    }


class Families:
    """Three models, which learn from the same walks.

    Args:
        options: see there.
        seed: of the weights and of all walks.
    """

    title: ClassVar[str] = "Same question, three architectures"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._held = held_out(seed)
        self._kept_back = {walk.things for held in self._held.values() for walk in held}
        self._rng = np.random.default_rng([seed, 0])
        self._three = built(seed)
        self._optimizers = {
            name: AdamW(self._three[name].parameters, learning_rate=LEARNING_RATE, betas=(0.9, 0.95))
            for name in FAMILIES
        }
        self._every = max(1, round(self.n_step / N_LOOK))
        self._steps: list[int] = []
        self._exact: list[NDArray[np.float32]] = []
        self._words: list[NDArray[np.float32]] = []
        self._losses: list[list[float]] = []
        self._look()

    def advance(self) -> None:
        drawn = [walk for walk in walks.draw(BATCH, self._rng) if walk.things not in self._kept_back]
        losses = []
        for name in FAMILIES:
            family = self._three[name]
            for parameter in family.parameters.values():
                parameter.grad = None
            loss = family.loss(drawn, self._rng)
            loss.backward()
            nn.utils.clip_grad_norm_(family.parameters.values(), 1.0)
            self._optimizers[name].step(min(1.0, 2 * (1 - self.step / self.n_step)))
            losses.append(loss.item())
        self._losses.append(losses)
        self.step += 1
        if self.step % self._every == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {
            "step": np.array(self._steps),
            "curve.exact": np.stack(self._exact),  # (looks, families, columns): answers that are right as a whole
            "curve.words": np.stack(self._words),  # words that are right at their place
            "curve.loss": np.array(self._losses, np.float32).reshape(-1, len(FAMILIES)),
        }
        for name in FAMILIES:
            found |= weights_of(self._three[name].parameters.items(), name)
        return found

    def _look(self) -> None:
        """Ask every family every question about the walks that were kept back."""
        self._steps.append(self.step)
        exact, words = np.zeros((2, len(FAMILIES), len(COLUMNS)), np.float32)
        for j, column in enumerate(COLUMNS):
            task = task_of(column)
            asked = self._held[column == "longer"]
            truth = [walk.answer(task) for walk in asked]
            for i, name in enumerate(FAMILIES):
                said = self._three[name].answers(asked, task)
                exact[i, j] = np.mean([one == true for one, true in zip(said, truth, strict=True)])
                words[i, j] = np.mean([walks.right_words(one, true) for one, true in zip(said, truth, strict=True)])
        self._exact.append(exact)
        self._words.append(words)
