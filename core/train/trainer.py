"""The training loop's step: a loss, its gradient, an update of the weights, at a scheduled learning rate.

trainer = Trainer(model, AdamW(...), half_then_down(300), n_step=300, clip=1.0)
while trainer.step < trainer.n_step:
    trainer.learn(loss_of(model, batch))
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.train.optimizers import Optimizer

Schedule = Callable[[int], float]  # step, 0 is the first -> share of the highest learning rate
Weights = dict[str, NDArray[np.generic]]


class TrainingDiverged(RuntimeError):
    """A loss or a weight is no longer a number; the message says at which step, and what to try."""


class Trainer:
    """A model that is trained for `n_step` steps.

    Args:
        clip: the largest norm of the gradient; a longer one is scaled down, so that one steep step can't undo many.
        dtype: of the weights in a record, which has to stay small.
    """

    def __init__(
        self,
        model: Any,
        optimizer: Optimizer,
        schedule: Schedule,
        *,
        n_step: int,
        clip: float | None = None,
        dtype: type[np.floating] = np.float16,
    ):
        self.model, self.optimizer, self.schedule = model, optimizer, schedule
        self.n_step, self.step = n_step, 0
        self.clip, self.dtype = clip, dtype

    @property
    def done(self) -> bool:
        """True if all steps are done."""
        return self.step >= self.n_step

    def learn(self, loss: Float[Tensor, ""], see: Callable[[], None] | None = None) -> Float[Tensor, ""]:
        """Update the weights by the gradient of this loss; returns the gradient's Euclidean norm before clipping.

        `see` is called between the two.
        """
        self.model.zero_grad()
        loss.backward()
        norm = self.move(see)
        self.model.zero_grad()  # the next forward pass needs the room
        return norm

    def move(self, see: Callable[[], None] | None = None) -> Float[Tensor, ""]:
        """Update the weights by the gradient that they hold; returns its Euclidean norm before clipping."""
        if see is not None:
            see()
        gradients = [w.grad for w in self.model.parameters() if w.grad is not None]
        norm = nn.utils.get_total_norm(gradients)
        if self.clip is not None:
            nn.utils.clip_grads_with_norm_(self.model.parameters(), self.clip, norm)
        self.optimizer.step(self.schedule(self.step))
        self.step += 1
        return norm

    def weights(self, variant: str) -> Weights:
        """Return a copy of the weights, as a record has them."""
        return weights_for_record(self.model.named_parameters(), variant, self.dtype)


def constant_then_linear(n_step: int) -> Schedule:
    """Return a schedule that is constant for half of the steps, then decays linearly to 0."""
    return lambda step: min(1.0, 2 * (1 - step / n_step))


def weights_for_record(
    named: Iterable[tuple[str, Tensor]], variant: str, dtype: type[np.floating] = np.float16
) -> Weights:
    """Copy weights for a record, as "model.<variant>.<parameter>"; half precision keeps a record small."""
    return {f"model.{variant}.{name}": w.detach().cpu().numpy().astype(dtype) for name, w in named}


_DecayCurve = Callable[[float, float], float]  # (share of the steps done, share of them that decays) -> from 1 to 0


def _cosine(done: float, _: float) -> float:
    """Decay as half a cosine to 0. Source: Loshchilov and Hutter 2016 (1608.03983), equation 5, without restarts."""
    return 0.5 * (1 + math.cos(math.pi * done))


def _stable(done: float, decaying: float) -> float:
    """Stay constant, then decay linearly to 0 (warmup-stable-decay). Source: Hu et al. 2024 (2404.06395), section 4."""
    return min(1.0, (1 - done) / decaying)


# "root" is not among them: it depends on the step itself and not on the number of steps (see `schedule_factor`).
_DECAY_CURVES: Mapping[str, _DecayCurve] = {
    "linear": lambda done, _: 1 - done,
    "cosine": _cosine,
    "wsd": _stable,
    "constant": lambda done, _: 1.0,
}
DECAYS = (*_DECAY_CURVES, "root")


def schedule_factor(decay: str, step: int, *, n_warmup: int, n_step: int, decay_to: float, decay_share: float) -> float:
    """Return the share of the highest learning rate at a step (0 is the first): warm-up, then decay.

    Args:
        decay: one of `DECAYS`.
        decay_to: the share that is left at the end; "constant" and "root" ignore it.
        decay_share: the share of the steps after the warm-up in which "wsd" decays.

    Source: "root": Vaswani et al. 2017, equation 3.
    """
    if step < n_warmup:
        return (step + 1) / (n_warmup + 1)
    if decay == "root":
        return math.sqrt((n_warmup + 1) / (step + 1))
    done = (step - n_warmup) / max(1, n_step - n_warmup)  # from 0 to just below 1
    left = _DECAY_CURVES[decay](done, decay_share)
    return decay_to + (1 - decay_to) * left
