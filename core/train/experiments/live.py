"""A training to look at: the record of an experiment as far as it is, and what it is a record of."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from core.train.experiments import module


@dataclass(frozen=True, eq=False)
class Live:
    """What an exhibit draws. Two are equal where their weights and their steps are, so it can be the key of a result.

    Attributes:
        record: arrays by name, read-only; see `core.train.experiment`.
        options: with which it was trained, plain values.
        seed: from which everything was drawn.
        step, n_step: how far it is.
        is_running: whether it still changes by itself.
        is_example: whether it is the record that ships, and nobody's run.
        name: of the experiment.
        run_id: of the run in the store; "" for an example, or outside of the app.
    """

    record: Mapping[str, NDArray[Any]]
    options: Mapping[str, Any]
    seed: int
    step: int
    n_step: int
    is_running: bool = False
    is_example: bool = False
    name: str = ""
    run_id: str = ""

    @property
    def is_done(self) -> bool:
        """Whether every step was trained."""
        return self.step >= self.n_step

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The whole record."""
        return self.record

    def table(self) -> dict[str, list[Any]]:
        """The record in numbers, as its experiment's module has them."""
        found: dict[str, list[Any]] = module(self.name).table(self.record)
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
