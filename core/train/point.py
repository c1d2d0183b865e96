"""A point of a training curve: the one shape in which a step's measures go from the training loop to the chart."""

from typing import NamedTuple


class Point(NamedTuple):
    """The measures of one training step, all of them determined by recipe and seed, bit for bit.

    A measure that is added here is stored, sent, recorded and saved with the rest: the store's columns, the files of
    recorded runs and the checkpoint's history all follow `Point._fields`.
    """

    step: int  # updates done, from 1
    loss: float  # of the step's batch before the update, nats per token
    # after the update, nats per token: at the last step over the whole validation split, which is what is told of the
    # model from then on; before over a fixed set of its windows. None where it was not measured.
    val_loss: float | None
    grad_norm: float  # Euclidean norm of the whole gradient
    learning_rate: float  # of this update
    # of a task: the share of the same questions whose answers are right as a whole; None of a text
    right_share: float | None = None
