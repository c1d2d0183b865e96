"""Remember the first token: plain recurrent net, LSTM, GRU and attention, one model of each kind for each distance.

A sequence is a letter, then `distance` more letters of the same kind, then a question mark. The answer is the first
letter. Nothing marks it but its place, and nothing helps to guess it: chance is 1 in 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.models import registry
from core.models.gpt import GPTConfig
from core.models.rnn import RNNConfig
from core.nn.block import BlockStyle
from core.train.experiment import Record
from core.train.experiments.bounded import Bounded
from core.train.experiments.trainers import EMBEDDING_STD
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, half_then_down

NAMES: MappingProxyType[str, str] = MappingProxyType(
    {"rnn": "plain", "lstm": "LSTM", "gru": "GRU", "attention": "attention"}
)
VARIANTS = tuple(NAMES)
DISTANCES = (5, 10, 20, 40)
N_LETTER = 8
QUESTION = N_LETTER  # the id of the question mark
WIDTH = 32
BATCH = 64
N_HELD = 256
LEARNING_RATE = 5e-3
LARGEST_GRADIENT = 1.0  # a longer one is shortened: over many steps the gradients of recurrent nets can explode
N_LOOK = 25
FORGET_BIASES = (0, 1, 3, 5)
ASKED = ("end", "always")


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        furthest: the largest distance; the shorter ones are trained too.
        forget_bias: added to the bias of the LSTM's forget gates at the start; 0 is torch's own start.
        asked: "end": the loss counts at the question mark alone; "always": the first letter is asked for after every
            token, so that the way from question to answer is short at first.
        n_step: training steps of each model.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"n_step": 800}  # about forty seconds on one core
    furthest: int = 40
    forget_bias: int = 0
    asked: str = "end"
    n_step: int = 400

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.furthest not in DISTANCES:
            raise ValueError(f"distance {self.furthest}: 5, 10, 20 or 40 are possible")
        if self.forget_bias not in FORGET_BIASES:
            raise ValueError(f"forget bias {self.forget_bias}: 0, 1, 3 or 5 are possible")
        if self.asked not in ASKED:
            raise ValueError(f"asked {self.asked!r}: at the end or always are possible")

    @property
    def distances(self) -> tuple[int, ...]:
        return tuple(distance for distance in DISTANCES if distance <= self.furthest)


def config(variant: str, distance: int) -> RNNConfig | GPTConfig:
    """A model of one layer, 32 wide; attention has two heads, learned positions and no feed-forward.

    Args:
        variant: one of `VARIANTS`.
        distance: letters between the first and the question mark; attention has no position beyond.
    """
    sizes: dict[str, Any] = {"vocab_size": N_LETTER + 1, "context_length": distance + 2, "d_model": WIDTH}
    if variant != "attention":
        return RNNConfig(cell=variant, **sizes)
    return GPTConfig(n_layer=1, n_head=2, tied=False, block=BlockStyle(feed_forward=False, bias=False), **sizes)


def fresh(variant: str, distance: int, seed: int, forget_bias: float = 0.0) -> Any:
    """The model before its first step: torch's start for the cells, GPT-2's with wider embeddings for attention.

    Args:
        forget_bias: added to the LSTM's forget gates, of which each then begins near sigmoid(forget_bias).

    Source: Gers et al. 2000 and Jozefowicz et al. 2015, for the bias of the forget gate.
    """
    model = registry.build(config(variant, distance), seed)
    with torch.no_grad():
        if variant == "lstm":
            model.blocks[0].bias_ih[WIDTH : 2 * WIDTH] += forget_bias  # rows of f: the second of i, f, g, o
        elif variant == "attention":
            for embedding in (model.tok_emb, model.pos_emb):
                embedding.weight.mul_(EMBEDDING_STD / 0.02)
    return model


def draw(n: int, distance: int, generator: torch.Generator) -> tuple[Int[Tensor, "B T"], Int[Tensor, " B"]]:
    """Sequences of random letters and a question mark.

    Returns:
        ids: (n, distance + 2); answers: (n,) the first letter of each.
    """
    letters = torch.randint(0, N_LETTER, (n, distance + 1), generator=generator)
    return torch.cat([letters, torch.full((n, 1), QUESTION)], 1), letters[:, 0]


def held_out(distance: int, seed: int) -> tuple[Int[Tensor, "B T"], Int[Tensor, " B"]]:
    """The 256 sequences that measure the accuracy: the first that the seed gives. Training goes on after them."""
    return draw(N_HELD, distance, torch.Generator().manual_seed(seed))


@torch.no_grad()
def accuracy(model: nn.Module, ids: Int[Tensor, "B T"], answers: Int[Tensor, " B"]) -> float:
    """Share of sequences whose first letter has the highest score at the question mark."""
    return float((model(ids)[:, -1].argmax(-1) == answers).double().mean())


class SequenceTrainer(Trainer):
    """One model on its way through the training, with AdamW and shortened gradients."""

    def __init__(self, model: Any, n_step: int, asked: str):
        self._first = -1 if asked == "end" else 0  # the first place that counts
        optimizer = AdamW(dict(model.named_parameters()), learning_rate=LEARNING_RATE)
        schedule = half_then_down(n_step)
        super().__init__(model, optimizer, schedule, n_step=n_step, clip=LARGEST_GRADIENT, dtype=np.float32)

    def learn_sequences(self, ids: Int[Tensor, "B T"], answers: Int[Tensor, " B"]) -> None:
        """One step on the loss where it counts."""
        logits = self.model(ids)[:, self._first :]  # (B, 1 or T, V)
        self.learn(nn.functional.cross_entropy(logits.mT, answers[:, None].expand(-1, logits.shape[1])))


class Remember:
    """All kinds at all distances, one step of each at a time; at one distance all kinds see the same sequences.

    Args:
        options: see there.
        seed: of the weights and of all sequences.
    """

    title: ClassVar[str] = "Remember the first token"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._distances = options.distances
        self._trainers = {
            (variant, distance): SequenceTrainer(
                fresh(variant, distance, seed, options.forget_bias), self.n_step, options.asked
            )
            for distance in self._distances
            for variant in VARIANTS
        }
        self._generators = {distance: torch.Generator().manual_seed(seed) for distance in self._distances}
        self._held = {d: draw(N_HELD, d, self._generators[d]) for d in self._distances}  # `held_out`
        self._every = max(1, round(self.n_step / N_LOOK))
        self._steps: list[int] = []
        self._accuracies: dict[tuple[str, int], list[float]] = {key: [] for key in self._trainers}
        self._look()

    def advance(self) -> None:
        for distance, generator in self._generators.items():
            ids, answers = draw(BATCH, distance, generator)
            for variant in VARIANTS:
                self._trainers[variant, distance].learn_sequences(ids, answers)
        self.step += 1
        if self.step % self._every == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {"step": np.array(self._steps), "distances": np.array(self._distances)}
        for (variant, distance), trainer in self._trainers.items():
            name = model_name(variant, distance)
            found[f"curve.{name}.accuracy"] = np.array(self._accuracies[variant, distance])
            found |= trainer.weights(name)
        return found

    def _look(self) -> None:
        self._steps.append(self.step)
        for (variant, distance), trainer in self._trainers.items():
            self._accuracies[variant, distance].append(accuracy(trainer.model, *self._held[distance]))


def model_name(variant: str, distance: int) -> str:
    """Under which name a model's curve and weights stand in the record."""
    return f"{variant}-{distance}"


def table(record: Record, hidden: Sequence[str] = ()) -> dict[str, list[Any]]:
    """The share of right answers after the last step, one line for each distance and net; without the hidden."""
    keys = [(one, int(distance)) for distance in record["distances"] for one in VARIANTS if one not in hidden]
    return {
        "net": [NAMES[variant] for variant, _ in keys],
        "distance": [distance for _, distance in keys],
        "share right": [float(record[f"curve.{model_name(*key)}.accuracy"][-1]) for key in keys],
    }
