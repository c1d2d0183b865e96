"""A training to look at: the record of an experiment as far as it is, and what it is a record of."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.exhibit import Table
from core.train.experiments import module


@dataclass(frozen=True, eq=False)
class Live:
    """The state of a run. Two are equal where weights and steps are, so it can be the key of a result."""

    record: Mapping[str, NDArray[Any]]  # arrays by name, read-only; see `core.train.experiment`
    options: Mapping[str, Any]  # with which it was trained, plain values
    seed: int  # from which everything was drawn
    step: int  # step, n_step: how far it is
    n_step: int
    is_running: bool = False  # whether it still changes by itself
    is_example: bool = False  # whether it is the record that ships, and nobody's run
    name: str = ""  # of the experiment
    run_id: str = ""  # of the run in the store; "" for an example, or outside of the app

    @property
    def is_done(self) -> bool:
        """Whether every step was trained."""
        return self.step >= self.n_step

    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """The whole record."""
        return self.record

    def table(self) -> Table:
        """The record in numbers, as its experiment's module has them."""
        found: Table = module(self.name).table(self.record)
        return found

    @cached_property
    def digest(self) -> str:
        """Of its weights, or of all its arrays where it keeps none, and of its tokenizer if there is one."""
        digest = hashlib.sha256(str(self.step).encode())
        names = [name for name in self.record if name.startswith("model.")] or list(self.record)
        for name in sorted({*names, *({"tokenizer"} & self.record.keys())}):
            digest.update(name.encode() + self.record[name].tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Live) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)
