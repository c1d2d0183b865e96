"""A point of a training curve: the only format of a step's measures, from the training loop to the chart."""

from typing import NamedTuple


class CurvePoint(NamedTuple):
    """The measures of one training step, determined by recipe and seed, bit for bit.

    A new measure needs only a field here: the store's columns, the files of recorded runs and the checkpoint's history
    all follow `CurvePoint._fields`.
    """

    step: int  # updates done, from 1
    loss: float  # of the step's batch before the update, nats per token
    # after the update, nats per token: at the last step over the whole validation split, which is then the model's
    # official loss; before that over a fixed set of its windows. None if it was not measured.
    val_loss: float | None
    grad_norm: float  # Euclidean norm of the whole gradient
    learning_rate: float  # of this update
    # of a task: the share of the held-out questions whose whole answer is right; None for a text
    right_share: float | None = None
