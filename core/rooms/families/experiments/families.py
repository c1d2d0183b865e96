"""Same question, three architectures: an encoder, a decoder and an encoder-decoder learn the same three tasks.

All three are built from the same block and see the same walks in the same order (`compute.walks`): in each step the
same texts, each with all three questions. They differ in what each position may read, and in where the answer is
written:

- the decoder reads walk, question and its own answer so far; each position reads only what comes before it.
- the encoder reads the walk in both directions. One head reads `<class>` and names the place; one fills masks at the
  end, from left to right; one names a French word at each position, so it can only write as many words as the walk has.
- the encoder-decoder reads question and walk in both directions, and writes the answer in its decoder.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, Table, hidden_training_steps
from core.rooms.families.compute import walks
from core.rooms.families.compute.family_models import FAMILIES, FAMILY_NAMES, build_families
from core.rooms.families.compute.walks import Walk
from core.train.experiment import Record
from core.train.experiments.base import Experiment
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, constant_then_linear

LABELS = module_labels(__name__)

COLUMNS = ("classify", "continue", "translate", "longer")  # the last: translations longer than the walk
COLUMN_TITLES = {
    "classify": LABELS["column.classify"],
    "continue": LABELS["column.continue"],
    "translate": LABELS["column.translate"],
    "longer": LABELS["column.longer"],
}
BATCH = 24  # walks per step; each comes with all three questions
N_HELD = 48  # walks of each kind: with a translation of their own length, and with a longer one
N_EVAL = 10  # evaluations, evenly spaced
LEARNING_RATE = 4e-3


class Options(Inputs):
    """The number of training steps of each family."""

    n_step: int = hidden_training_steps(350, most=1_000)  # about a minute on one core


def _held_out_walks(seed: int) -> dict[bool, list[Walk]]:
    """Return the held-out walks: those with a translation of their own length (False), and those with a longer one."""
    rng = np.random.default_rng([seed, 1])
    return {longer: walks.draw_walks(N_HELD, rng, longer=longer) for longer in (False, True)}


def _column_task(column: str) -> str:
    return "translate" if column == "longer" else column


def random_guess_accuracies(seed: int) -> NDArray[np.float32]:
    """Return the rate (columns,) at which random guessing is right, averaged over held-out walks: `walks.chance`."""
    held = _held_out_walks(seed)
    return np.array(
        [
            np.mean(
                [
                    walks.random_guess_accuracy(_column_task(c), len(walk.answer(_column_task(c))))
                    for walk in held[c == "longer"]
                ]
            )
            for c in COLUMNS
        ],
        np.float32,
    )


def table(record: Record, seed: int) -> Table:
    """Return one row per family and question: fractions right at the newest evaluation, and of random guessing."""
    rows = [(i, j) for i in range(len(FAMILIES)) for j in range(len(COLUMNS))]
    exact, words, blind = record["curve.exact"][-1], record["curve.words"][-1], random_guess_accuracies(seed)
    return {
        LABELS["family"]: [FAMILY_NAMES[FAMILIES[i]] for i, _ in rows],
        LABELS["task"]: [COLUMN_TITLES[COLUMNS[j]] for _, j in rows],
        LABELS["right_as_whole"]: [float(exact[i, j]) for i, j in rows],
        LABELS["words_right"]: [float(words[i, j]) for i, j in rows],
        LABELS["blind_guessing"]: [float(blind[j]) for _, j in rows],
        LABELS["step"]: [int(record["step"][-1])] * len(rows),
        LABELS["seed"]: [seed] * len(rows),
    }


class Families(Experiment):
    """Three models that learn from the same walks.

    Its record: curve.exact (n, families, columns), the exact-match rate; curve.words, the fraction of words right at
    their position; curve.loss (steps, families).
    """

    title = LABELS["title"]
    n_eval = N_EVAL

    def begin(self) -> None:
        self._held = _held_out_walks(self.seed)
        self._kept_back = {walk.things for held in self._held.values() for walk in held}
        self._three, n = build_families(self.seed), self.n_step
        for name in FAMILIES:
            optimizer = AdamW(self._three[name].weights, learning_rate=LEARNING_RATE, betas=(0.9, 0.95))
            self.trainers[name] = Trainer(self._three[name], optimizer, constant_then_linear(n), n_step=n, clip=1.0)
        self.keep("curve.loss")

    def learn(self) -> None:
        drawn = [walk for walk in walks.draw_walks(BATCH, self.rng) if walk.things not in self._kept_back]
        losses = [self._three[name].loss(drawn, self.rng) for name in FAMILIES]
        for name, loss in zip(FAMILIES, losses, strict=True):
            self.trainers[name].learn(loss)
        self.keep("curve.loss", np.array([loss.item() for loss in losses], np.float32))

    def measure(self) -> Mapping[str, ArrayLike]:
        """Ask every family every question about the held-out walks."""
        exact, words = np.zeros((2, len(FAMILIES), len(COLUMNS)), np.float32)
        for j, column in enumerate(COLUMNS):
            task = _column_task(column)
            asked = self._held[column == "longer"]
            truth = [walk.answer(task) for walk in asked]
            for i, name in enumerate(FAMILIES):
                said = self._three[name].answers(asked, task)
                exact[i, j] = np.mean([one == true for one, true in zip(said, truth, strict=True)])
                words[i, j] = np.mean([walks.word_accuracy(one, true) for one, true in zip(said, truth, strict=True)])
        return {"curve.exact": exact, "curve.words": words}
