"""The bottleneck race: two encoder-decoders learn to write strings backwards, one with attention, one without.

Without attention the whole string has to pass through one vector, however long it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import NDArray
from torch import Tensor

from core.data.ragged import padded
from core.data.synthetic import reversal
from core.generate.seq2seq import greedy
from core.models.seq2seq import Seq2SeqConfig
from core.train.experiment import Record
from core.train.experiments.bounded import Bounded
from core.train.experiments.learner import NOT_THERE, Learner

VARIANTS: MappingProxyType[str, str] = MappingProxyType({"with": "additive", "without": "none"})  # name -> attention
NAMES: MappingProxyType[str, str] = MappingProxyType({"with": "with attention", "without": "without attention"})
MEASURES: MappingProxyType[str, str] = MappingProxyType(
    {
        "forced": "each letter, the true ones before it given",
        "free": "each letter, writing by itself",
        "exact": "the whole string, writing by itself",
    }
)
LENGTHS = (4, 6, 8, 10, 12, 14, 16, 18, 20, 25, 30)  # at which is measured; the last two are longer than in training
N_HELD = 20  # strings of each length
BATCH = 64
N_LOOK = 14  # times that all is measured, evenly
PROBE = "readmefromendtostart"  # its alignment is kept


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        d_model: width of the states; what passes without attention is one vector of so many numbers.
        n_step: training steps of each variant.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"d_model": 64, "n_step": 1_000}  # about thirty seconds on one core
    d_model: int = 48
    n_step: int = 350


def config(variant: str, d_model: int) -> Seq2SeqConfig:
    """A GRU in each direction, a GRU that writes, and between them attention or nothing but the first state."""
    return Seq2SeqConfig(
        source_vocab=reversal.SOURCE_VOCAB,
        vocab_size=reversal.TARGET_VOCAB,
        d_model=d_model,
        attention=VARIANTS[variant],
    )


def held_out(seed: int) -> tuple[Int[Tensor, "B S"], Bool[Tensor, "B S"], Int[Tensor, "B T"]]:
    """The strings that measure, 20 of each length, shortest first: source, its mask, target."""
    rng = np.random.default_rng([seed, 1])  # not those of the training
    drawn = [reversal.draw(N_HELD, length, rng) for length in LENGTHS]
    source, mask = padded([row.tolist() for rows, _ in drawn for row in rows])
    target, _ = padded([row.tolist() for _, rows in drawn for row in rows], NOT_THERE)
    return source, mask, target


class Bottleneck:
    """Both variants, one step of each at a time, on the same strings.

    Args:
        options: see there.
        seed: of the weights and of all strings.
    """

    title: ClassVar[str] = "The bottleneck race"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._learners = {
            name: Learner(config(name, options.d_model), seed, reversal.START, self.n_step) for name in VARIANTS
        }
        self._rng = np.random.default_rng([seed, 0])
        self._held = held_out(seed)
        self._every = max(1, round(self.n_step / N_LOOK))
        self._steps: list[int] = []
        self._measured: dict[str, list[NDArray[np.float32]]] = {}
        self._frames: list[NDArray[np.uint8]] = []
        self._look()

    def advance(self) -> None:
        # All strings of a batch are equally long: no time goes into padding.
        length = int(self._rng.integers(reversal.SHORTEST, reversal.LONGEST + 1))
        source, target = (torch.from_numpy(x.copy()) for x in reversal.draw(BATCH, length, self._rng))
        for learner in self._learners.values():
            learner.learn(source, target, None)
        self.step += 1
        if self.step % self._every == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {"step": np.array(self._steps), "lengths": np.array(LENGTHS)}
        for name, values in self._measured.items():
            found[f"curve.{name}"] = np.stack(values)  # (looks, lengths)
        found["frames.with.weights"] = np.stack(self._frames)  # (looks, T, S), in steps of 1/255
        for name, learner in self._learners.items():
            found |= learner.weights(name)
        return found

    @torch.no_grad()
    def _look(self) -> None:
        """Measure at each length, and keep the alignment of the probe."""
        self._steps.append(self.step)
        for name, learner in self._learners.items():
            for what, values in measure(learner, *self._held).items():
                self._measured.setdefault(f"{name}.{what}", []).append(values)
        ids = reversal.encode(PROBE)
        self._frames.append(self._learners["with"].alignment(ids, [*ids[::-1], reversal.END]))


@torch.no_grad()
def measure(
    learner: Learner, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"], target: Int[Tensor, "B T"]
) -> dict[str, NDArray[np.float32]]:
    """Three shares at each length (the end token counts like a letter).

    Returns:
        forced: tokens that are right when the true ones before them are read (teacher forcing).
        free: tokens that are right at their place when the model reads what it wrote itself.
        exact: strings that are right as a whole when it does.
    """
    counted = target != NOT_THERE
    forced = learner.forced(source, target, mask).argmax(-1) == target
    written = greedy(
        learner.model, source, mask, start_id=reversal.START, end_id=reversal.END, max_new_tokens=target.shape[1]
    )
    filled = torch.full_like(target, reversal.END)
    filled[:, : written.shape[1]] = written
    free = filled == target

    def by_length(right: Bool[Tensor, "B T"]) -> NDArray[np.float32]:
        shares = (right & counted).sum(-1) / counted.sum(-1)  # (B,)
        return shares.view(len(LENGTHS), -1).mean(-1).numpy()

    exact = ((free | ~counted).all(-1)).float().view(len(LENGTHS), -1).mean(-1).numpy()
    return {"forced": by_length(forced), "free": by_length(free), "exact": exact}


def table(record: Record, hidden: Sequence[str] = ()) -> dict[str, list[float]]:
    """The shares that are right after the last step, one line for each length of the string; without the hidden."""
    return {"letters": record["lengths"].tolist()} | {
        f"{name}: {measure}": np.round(record[f"curve.{variant}.{what}"][-1], 4).tolist()
        for variant, name in NAMES.items()
        if variant not in hidden
        for what, measure in MEASURES.items()
    }
