"""A small transformer learns addition modulo 31: first it memorizes its pairs, later it generalizes.

Two more models are trained that never generalize: one without weight decay, and one on random answers.

Source: Power et al. 2022 (2201.02177); the small one-layer transformer: Nanda et al. 2023 (2301.05217), section 3.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor
from torch.nn import functional as F

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.models import registry
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.nn.init import INIT_STD, init_fan_in
from core.train.experiment import Record, step_table
from core.train.experiments.base import Experiment
from core.train.experiments.fast_trainers import EMBEDDING_STD
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, constant_then_linear

LABELS = module_labels(__name__)

N_NUMBER = 31  # a prime, so that each frequency passes through all numbers
CONFIG = GPTConfig(
    vocab_size=N_NUMBER,
    context_length=2,
    n_layer=1,
    n_head=4,
    d_model=48,
    d_ff=96,
    tied=False,
    block=BlockStyle(norm="rms_plain", activation="relu", bias=False),
)
LEARNING_RATE, WEIGHT_DECAY = 5e-3, 3.0  # found by measuring: the most reliable way to grok within seconds
DECAY = {"rule": WEIGHT_DECAY, "no_decay": 0.0, "random": WEIGHT_DECAY}  # variant -> weight decay
VARIANTS = tuple(DECAY)
N_EVAL = 60  # the first ones coincide, because steps are whole numbers
MEMORIZED = 0.999  # accuracy from which its training pairs count as memorized, and
GENERALIZED = 0.99  # from which the unseen pairs count as understood


class Options(Inputs, prefix="grok_"):
    """The percentage of pairs to train on, and the number of steps of each variant."""

    share: int = segmented_control({40: "40%", 50: "50%", 70: "70%"}, 50)
    n_step: int = hidden_training_steps(1_000, most=2_000)  # about 25 seconds on one core


class Grokking(Experiment):
    """Three models trained on the same pairs, all of them in each step (full batch).

    Its record, for each variant v: curve.v.learned, curve.v.unseen (n,): accuracy; curve.v.loss, curve.v.unseen_loss
    (n,): nats; curve.v.norm (n,): the norm of all weights together; frames.v.embedding (n, 31, 48): its embeddings in
    multiples of frames.v.unit (n,). is_learned (961,): which pairs were trained on.
    """

    title = LABELS["title"]
    precision = np.float32

    def begin(self) -> None:
        self._pairs = number_pairs()
        rule = self._pairs.sum(1) % N_NUMBER
        order = torch.randperm(len(rule), generator=self.generator)
        n_learned = len(rule) * int(self.options.share) // 100
        self._learned, self._unseen = order[:n_learned].sort().values, order[n_learned:].sort().values
        drawn = torch.randint(N_NUMBER, rule.shape, generator=self.generator)
        self._answers = {name: drawn if name == "random" else rule for name in VARIANTS}
        self.trainers = {name: build_trainer(self.seed, self.n_step, decay) for name, decay in DECAY.items()}

    def eval_steps(self) -> Iterable[int]:
        return log_spaced_steps(self.n_step)

    def learn(self) -> None:
        for name, one in self.trainers.items():
            logits = one.model(self._pairs[self._learned])[:, -1]
            one.learn(F.cross_entropy(logits, self._answers[name][self._learned]))

    def measure(self) -> Mapping[str, ArrayLike]:
        found: dict[str, ArrayLike] = {}
        for name, one in self.trainers.items():
            logits, answers = one.model(self._pairs)[:, -1], self._answers[name]
            right, loss = (logits.argmax(-1) == answers).double(), F.cross_entropy(logits, answers, reduction="none")
            for what, rows in (("learned", self._learned), ("unseen", self._unseen)):
                found[f"curve.{name}.{what}"] = float(right[rows].mean())
            found[f"curve.{name}.loss"] = float(loss[self._learned].mean())
            found[f"curve.{name}.unseen_loss"] = float(loss[self._unseen].mean())
            found[f"curve.{name}.norm"] = float(torch.cat([w.flatten() for w in one.model.parameters()]).norm())
            embedding = one.model.tok_emb.weight
            unit = embedding.abs().max() / 127
            found[f"frames.{name}.unit"] = float(unit)
            found[f"frames.{name}.embedding"] = (embedding / unit).round().to(torch.int8).numpy()
        return found

    def latest(self) -> Mapping[str, ArrayLike]:
        is_learned = np.zeros(len(self._pairs), np.uint8)
        is_learned[self._learned] = 1
        drawn = self._answers["random"].to(torch.uint8).numpy()
        return {"is_learned": is_learned, "random_answers": drawn}


def log_spaced_steps(n_step: int) -> list[int]:
    """Return step 0 and logarithmically spaced steps."""
    return sorted({0, *np.geomspace(1, n_step, N_EVAL).round().astype(int).tolist()})


def number_pairs() -> Int[Tensor, "N 2"]:
    """Return every pair of two numbers, starting with 0 0; N = 961."""
    numbers = torch.arange(N_NUMBER)
    return torch.cartesian_prod(numbers, numbers)


def build_trainer(seed: int, n_step: int, weight_decay: float) -> Trainer:
    """Return a trainer with the initialized model and AdamW."""
    model = registry.build(CONFIG, seed)
    init_fan_in(model, seed)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if "_emb." in name:
                weights.mul_(EMBEDDING_STD / INIT_STD)
    named = dict(model.named_parameters())
    optimizer = AdamW(named, learning_rate=LEARNING_RATE, betas=(0.9, 0.98), weight_decay=weight_decay)
    return Trainer(model, optimizer, constant_then_linear(n_step), n_step=n_step)


def embedding_frames(record: Record, variant: str) -> NDArray[np.float64]:
    """Return the embeddings of a variant at each evaluation (n, 31, 48)."""
    return np.asarray(
        record[f"frames.{variant}.embedding"] * record[f"frames.{variant}.unit"][:, None, None], np.float64
    )


def pair_answers(record: Record, variant: str) -> Int[Tensor, " N"]:
    """Return the target of each pair for a variant."""
    if variant == "random":
        return torch.from_numpy(record["random_answers"].astype(np.int64))
    return number_pairs().sum(1) % N_NUMBER


def first_step_above(record: Record, what: str, least: float, variant: str = "rule") -> int | None:
    """Return the first step at which a variant's accuracy reached `least`; None if it never did."""
    steps, right = record["step"], record[f"curve.{variant}.{what}"]
    found = np.flatnonzero(right >= least)
    return int(steps[found[0]]) if len(found) else None


def table(record: Record) -> dict[str, list[float]]:
    """Return accuracy, loss and weight norm of each variant, evaluation by evaluation."""
    measures = LABELS.options("measure", "learned", "unseen", "loss", "unseen_loss", "norm")
    columns = {
        LABELS("table.curve", variant=variant, measure=measure): f"curve.{name}.{what}"
        for name, variant in LABELS.options("variant", *VARIANTS).items()
        for what, measure in measures.items()
    }
    return step_table(record, columns, 4)
