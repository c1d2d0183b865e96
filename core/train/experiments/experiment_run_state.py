"""A run of an experiment, for an exhibit: its current record, with the options and the seed."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.exhibit import Table
from core.train.experiments import experiment_module


@dataclass(frozen=True, eq=False)
class ExperimentRun:
    """The state of a run. Two are equal if their weights and steps are, so it can be the key of a result."""

    record: Mapping[str, NDArray[Any]]  # arrays by name, read-only; see `core.train.experiment`
    options: Mapping[str, Any]  # of the experiment, as plain values
    seed: int  # of all random numbers
    step: int  # step, n_step: steps done, and in all
    n_step: int
    is_running: bool = False  # whether it is still training
    is_example: bool = False  # whether it is the record that ships, and not a user's run
    name: str = ""  # of the experiment
    run_id: str = ""  # of the run in the store; "" for an example, or outside of the app

    @property
    def is_done(self) -> bool:
        """True if all steps are done."""
        return self.step >= self.n_step

    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """The whole record."""
        return self.record

    def table(self) -> Table:
        """Return the record as a table, made by its experiment's module."""
        found: Table = experiment_module(self.name).table(self.record)
        return found

    @cached_property
    def digest(self) -> str:
        """The digest of its weights (or of all arrays if it has no weights) and of its tokenizer, if there is one."""
        digest = hashlib.sha256(str(self.step).encode())
        names = [name for name in self.record if name.startswith("model.")] or list(self.record)
        for name in sorted({*names, *({"tokenizer"} & self.record.keys())}):
            digest.update(name.encode() + self.record[name].tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExperimentRun) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)
