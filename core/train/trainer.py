"""One way to train: a loss, its gradient, a move of the weights, at a learning rate that follows the step.

trainer = Trainer(model, AdamW(...), half_then_down(300), n_step=300, clip=1.0)
while trainer.step < trainer.n_step:
    trainer.learn(loss_of(model, batch))
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.train.optimizers import Optimizer

Schedule = Callable[[int], float]  # step, 0 is the first -> share of the highest learning rate
Weights = dict[str, NDArray[Any]]


class TrainingDiverged(RuntimeError):
    """A loss or a weight is no longer a number; the message says when and what to try."""


class Trainer:
    """A model on its way through a training of `n_step` steps.

    Args:
        clip: longest gradient; a longer one is cut to it: at a steep place one step must not undo many.
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
        """Whether every step was made."""
        return self.step >= self.n_step

    def learn(self, loss: Float[Tensor, ""], see: Callable[[], None] | None = None) -> Float[Tensor, ""]:
        """Move the weights by the gradient of this loss; returns the gradient's Euclidean norm, before it was cut.

        `see` is called in between.
        """
        self.model.zero_grad()
        loss.backward()
        norm = self.move(see)
        self.model.zero_grad()  # the next forward pass needs the room
        return norm

    def move(self, see: Callable[[], None] | None = None) -> Float[Tensor, ""]:
        """Move the weights by the gradient that they hold; returns its Euclidean norm, before it was cut."""
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
        """A copy of the weights, as a record has them."""
        return weights_of(self.model.named_parameters(), variant, self.dtype)


def half_then_down(n_step: int) -> Schedule:
    """The highest rate for half of the steps, then down to 0 on a straight line."""
    return lambda step: min(1.0, 2 * (1 - step / n_step))


def weights_of(named: Iterable[tuple[str, Tensor]], variant: str, dtype: type[np.floating] = np.float16) -> Weights:
    """Weights as a record has them: "model.<variant>.<parameter>", copied; half precision keeps a record small."""
    return {f"model.{variant}.{name}": w.detach().cpu().numpy().astype(dtype) for name, w in named}
