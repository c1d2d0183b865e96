"""The models of the example that ships: where other trainings of this room begin."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from numpy.typing import NDArray

from core.rooms.assistant.compute.learning import config
from core.train.experiment import rebuild, record_of

EXAMPLE = "assistant"


def model_of(record: Mapping[str, NDArray[Any]], name: str) -> Any:
    """One of the models that a record of this room holds, frozen; kept in half precision, it computes in single."""
    return rebuild(record, name, config()).float()


def tuned() -> Any:
    """The instruction-tuned model of the example, to be trained further."""
    return deepcopy(model_of(record_of(EXAMPLE), "tuned")).train().requires_grad_(True)
