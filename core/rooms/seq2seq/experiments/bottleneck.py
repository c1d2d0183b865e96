"""The bottleneck race: two encoder-decoders learn to write strings backwards, one with attention, one without.

Without attention the whole string has to pass through one vector, however long it is.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import NDArray
from torch import Tensor

from core.data.ragged import padded
from core.data.synthetic import reversal
from core.generate.seq2seq import EncoderDecoder
from core.inspect.forcing import right_tokens
from core.models.seq2seq import Seq2Seq, Seq2SeqConfig
from core.train.experiment import rebuild
from core.train.experiments.bounded import Bounded
from core.train.experiments.live import Live
from core.train.experiments.seq2seq_trainer import NOT_THERE, Seq2SeqTrainer

VARIANTS = {"with": "additive", "without": "none"}  # name -> attention
NAMES = {"with": "with attention", "without": "without attention"}
MEASURES = {
    "forced": "each letter, the true ones before it given",
    "free": "each letter, writing by itself",
    "exact": "the whole string, writing by itself",
}
LENGTHS = (4, 6, 8, 10, 12, 14, 16, 18, 20, 25, 30)  # at which is measured; the last two are longer than in training
N_HELD = 20  # strings of each length
BATCH = 64
N_LOOK = 14  # times that all is measured, evenly
PROBE = "readmefromendtostart"  # its alignment is kept


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """d_model: width of the states, one vector of which passes without attention; n_step: training steps of each."""

    most_in_browser: ClassVar = {"d_model": 64, "n_step": 1_000}  # about thirty seconds on one core
    d_model: int = 48
    n_step: int = 350


def config(variant: str, d_model: int) -> Seq2SeqConfig:
    """A GRU in each direction, a GRU that writes, and between them attention or nothing but the first state."""
    sizes = reversal.SOURCE_VOCAB, reversal.TARGET_VOCAB
    return Seq2SeqConfig(source_vocab=sizes[0], vocab_size=sizes[1], d_model=d_model, attention=VARIANTS[variant])


def held_out(seed: int) -> tuple[Int[Tensor, "B S"], Bool[Tensor, "B S"], Int[Tensor, "B T"]]:
    """The strings that measure, 20 of each length, shortest first: source, its mask, target."""
    rng = np.random.default_rng([seed, 1])  # not those of the training
    drawn = [reversal.draw(N_HELD, length, rng) for length in LENGTHS]
    source, mask = padded([row.tolist() for rows, _ in drawn for row in rows])
    target, _ = padded([row.tolist() for _, rows in drawn for row in rows], NOT_THERE)
    return source, mask, target


class Bottleneck:
    """Both variants, one step of each at a time, on the same strings."""

    title: ClassVar[str] = "The bottleneck race"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._trainers = {
            name: Seq2SeqTrainer(config(name, options.d_model), seed, reversal.START, self.n_step) for name in VARIANTS
        }
        self._rng = np.random.default_rng([seed, 0])
        self._held = held_out(seed)
        self._every = max(1, round(self.n_step / N_LOOK))
        self._kept: dict[str, list[Any]] = defaultdict(list)
        self._look()

    def advance(self) -> None:
        # All strings of a batch are equally long: no time goes into padding.
        length = int(self._rng.integers(reversal.SHORTEST, reversal.LONGEST + 1))
        source, target = (torch.from_numpy(x.copy()) for x in reversal.draw(BATCH, length, self._rng))
        for trainer in self._trainers.values():
            trainer.learn_forced(source, target, None)
        self.step += 1
        if self.step % self._every == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        """step; lengths; curve.<variant>.<measure> (looks, lengths); frames.with.weights (looks, T, S) in 1/255."""
        found: dict[str, NDArray[Any]] = {"lengths": np.array(LENGTHS)}
        found |= {name: np.stack(values) for name, values in self._kept.items()}
        return found | self._trainers["with"].weights("with") | self._trainers["without"].weights("without")

    @torch.no_grad()
    def _look(self) -> None:
        """Measure at each length, and keep the alignment of the probe."""
        self._kept["step"].append(self.step)
        for name, trainer in self._trainers.items():
            for what, values in measure(trainer.model, *self._held).items():
                self._kept[f"curve.{name}.{what}"].append(values)
        ids = reversal.encode(PROBE)
        self._kept["frames.with.weights"].append(self._trainers["with"].alignment(ids, [*ids[::-1], reversal.END]))


@torch.no_grad()
def measure(
    model: EncoderDecoder, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"], target: Int[Tensor, "B T"]
) -> dict[str, NDArray[np.float32]]:
    """Three shares at each length (the end token counts like a letter).

    Returns:
        forced: tokens that are right when the true ones before them are read (teacher forcing).
        free: tokens that are right at their place when the model reads what it wrote itself.
        exact: strings that are right as a whole when it does.
    """
    counted = target != NOT_THERE
    forced, free = right_tokens(model, source, target, mask, start_id=reversal.START, end_id=reversal.END)

    def by_length(of_each: Tensor) -> NDArray[np.float32]:
        return of_each.float().view(len(LENGTHS), -1).mean(-1).numpy()

    shares = [(right & counted).sum(-1) / counted.sum(-1) for right in (forced, free)]  # (B,)
    exact = (free | ~counted).all(-1)
    return {"forced": by_length(shares[0]), "free": by_length(shares[1]), "exact": by_length(exact)}


def model_of(run: Live, variant: str = "with") -> Seq2Seq:
    """The trained model of a variant."""
    model: Seq2Seq = rebuild(run.record, variant, config(variant, Options(**run.options).d_model)).float()
    return model
