"""Remember the first token: plain recurrent net, LSTM, GRU and attention, one model per kind and distance.

A sequence is a letter, then `distance` more letters of the same alphabet, then a question mark. The answer is the
first letter. Only its place marks it, and nothing helps to guess it, so chance is 1 in 8.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import ArrayLike
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, Table, hidden_training_steps, segmented_control
from core.models import registry
from core.models.gpt import GPT, GPTConfig
from core.models.rnn import RNN, RNNConfig
from core.nn.block import BlockStyle
from core.train.experiment import Record
from core.train.experiments.base import Experiment
from core.train.experiments.fast_trainers import EMBEDDING_STD
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, constant_then_linear

LABELS = module_labels(__name__)

NAMES: Mapping[str, str] = {
    "rnn": LABELS["net.rnn"],
    "lstm": "LSTM",
    "gru": "GRU",
    "attention": LABELS["net.attention"],
}
VARIANTS = tuple(NAMES)
DISTANCES = (5, 10, 20, 40)
N_LETTER = 8
QUESTION_ID = N_LETTER  # the id of the question mark
WIDTH = 32
BATCH = 64
N_HELD = 256
LEARNING_RATE = 5e-3
MAX_GRADIENT_NORM = 1.0  # larger gradients are clipped: over many steps the gradients of recurrent nets can explode
N_EVAL = 25
FORGET_BIASES = (0, 1, 3, 5)


class Options(Inputs, prefix="remember_"):
    """The task of the nets, and the number of letters between question and answer."""

    asked: str = segmented_control(
        ("end", "always"),
        "end",
    )
    forget_bias: int = segmented_control(
        FORGET_BIASES,
        0,
        name="remember_bias",
    )
    furthest: int = segmented_control(DISTANCES, 40)
    n_step: int = hidden_training_steps(400, most=800)  # about forty seconds on one core

    @property
    def distances(self) -> tuple[int, ...]:
        return tuple(distance for distance in DISTANCES if distance <= self.furthest)


def config(variant: str, distance: int) -> RNNConfig | GPTConfig:
    """Return the config of a one-layer model of width 32; attention has two heads, learned positions, no feed-forward.

    Args:
        variant: one of `VARIANTS`.
        distance: letters between the first one and the question mark; attention has no positions beyond.
    """
    sizes: dict[str, Any] = {"vocab_size": N_LETTER + 1, "context_length": distance + 2, "d_model": WIDTH}
    if variant != "attention":
        return RNNConfig(cell=variant, **sizes)
    return GPTConfig(n_layer=1, n_head=2, tied=False, block=BlockStyle(feed_forward=False, bias=False), **sizes)


def untrained_net(variant: str, distance: int, seed: int, forget_bias: float = 0.0) -> GPT | RNN:
    """Return a model before its first step: torch's initialization for the cells, GPT-2's for attention.

    Attention gets wider embeddings than GPT-2.

    Args:
        forget_bias: added to the LSTM's forget gates, so that each starts near sigmoid(forget_bias).

    Source: Gers et al. 2000 and Jozefowicz et al. 2015, for the bias of the forget gate.
    """
    model = registry.build(config(variant, distance), seed)
    with torch.no_grad():
        if variant == "lstm":
            model.blocks[0].bias_ih[WIDTH : 2 * WIDTH] += forget_bias  # the rows of f, second of i, f, g, o
        elif variant == "attention":
            for embedding in (model.tok_emb, model.pos_emb):
                embedding.weight.mul_(EMBEDDING_STD / 0.02)
    return model


def draw(n: int, distance: int, generator: torch.Generator) -> tuple[Int[Tensor, "B T"], Int[Tensor, " B"]]:
    """Draw sequences of random letters, each followed by a question mark.

    Returns:
        ids: (n, distance + 2); answers: (n,) the first letter of each.
    """
    letters = torch.randint(0, N_LETTER, (n, distance + 1), generator=generator)
    return torch.cat([letters, torch.full((n, 1), QUESTION_ID)], 1), letters[:, 0]


def held_out_sequences(distance: int, seed: int) -> tuple[Int[Tensor, "B T"], Int[Tensor, " B"]]:
    """Return the 256 test sequences, the first ones from this seed; training continues after them."""
    return draw(N_HELD, distance, torch.Generator().manual_seed(seed))


@torch.no_grad()
def answer_accuracy(model: nn.Module, ids: Int[Tensor, "B T"], answers: Int[Tensor, " B"]) -> float:
    """Return the share of sequences whose first letter has the highest score at the question mark."""
    return float((model(ids)[:, -1].argmax(-1) == answers).double().mean())


class Remember(Experiment):
    """All kinds of net at all distances; at one distance all kinds see the same sequences.

    Its record: distances; curve.<model>.accuracy (n,), see `record_name`; model.<model>.<parameter>.
    """

    title = LABELS["title"]
    n_eval = N_EVAL

    def begin(self) -> None:
        distances = self.options.distances
        self.trainers = {
            record_name(variant, distance): self.trainer(
                untrained_net(variant, distance, self.seed, self.options.forget_bias)
            )
            for distance in distances
            for variant in VARIANTS
        }
        self._generators = {distance: torch.Generator().manual_seed(self.seed) for distance in distances}
        self._held = {d: draw(N_HELD, d, self._generators[d]) for d in distances}  # `held_out_sequences`

    def trainer(self, model: nn.Module) -> Trainer:
        """Return a trainer with AdamW and clipped gradients."""
        optimizer = AdamW(dict(model.named_parameters()), learning_rate=LEARNING_RATE)
        schedule = constant_then_linear(self.n_step)
        return Trainer(model, optimizer, schedule, n_step=self.n_step, clip=MAX_GRADIENT_NORM, dtype=np.float32)

    def learn(self) -> None:
        for distance, generator in self._generators.items():
            ids, answers = draw(BATCH, distance, generator)
            for variant in VARIANTS:
                trainer = self.trainers[record_name(variant, distance)]
                trainer.learn(self.loss(trainer.model, ids, answers))

    def loss(self, model: nn.Module, ids: Int[Tensor, "B T"], answers: Int[Tensor, " B"]) -> Float[Tensor, ""]:
        """Return the loss at the positions that count: the question mark, or all of them."""
        logits = model(ids)[:, -1 if self.options.asked == "end" else 0 :]  # (B, 1 or T, V)
        return nn.functional.cross_entropy(logits.mT, answers[:, None].expand(-1, logits.shape[1]))

    def measure(self) -> Mapping[str, ArrayLike]:
        return {
            f"curve.{name}.accuracy": answer_accuracy(self.trainers[name].model, *held)
            for distance, held in self._held.items()
            for name in (record_name(variant, distance) for variant in VARIANTS)
        }

    def latest(self) -> Mapping[str, ArrayLike]:
        return {"distances": self.options.distances}


def record_name(variant: str, distance: int) -> str:
    """Return a model's name in the record, the prefix of its curve and weights."""
    return f"{variant}-{distance}"


def table(record: Record) -> Table:
    """Return the accuracy after the last step, one row per distance and net."""
    keys = [(one, int(distance)) for distance in record["distances"] for one in VARIANTS]
    return {
        LABELS["table.net"]: [NAMES[variant] for variant, _ in keys],
        LABELS["table.distance"]: [distance for _, distance in keys],
        LABELS["table.share_right"]: [float(record[f"curve.{record_name(*key)}.accuracy"][-1]) for key in keys],
    }
