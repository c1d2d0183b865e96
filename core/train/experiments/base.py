"""What all live experiments are: a task, variants of a model that learn it side by side, and what is measured.

    class Depth(Experiment):
        title = "Depth with and without residual paths"

        def begin(self):             # the task and the variants
            self.trainers = {name: adamw_trainer(config, self.seed, 4e-3, self.n_step) for name, config in …}

        def batch(self): …           # what all variants learn from next
        def loss(self, model, *batch): …
        def measure(self): …         # {"curve.pre_8.accuracy": 0.5, …}

The loop, the moments at which all is measured, the curves, the seconds and the weights of the record stand here.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from core.exhibit import Inputs
from core.train.experiments.evaluation_steps import every
from core.train.trainer import Trainer, TrainingDiverged

Arrays = dict[str, NDArray[Any]]


class Experiment(ABC):
    """A short training that an exhibit runs live, one step of each variant at a time.

    A subclass stands in a module of its own, `core/rooms/<room>/experiments/three_switches.py` has `ThreeSwitches`,
    beside `Options`, of which one is `n_step`.

    Args:
        options: what can be set.
        seed: from which everything is drawn.

    Raises ValueError: in plain words, if the task cannot be made, for want of its text, say.

    Attributes:
        title: what it is called in a list of runs.
        n_look: times that all is measured, evenly; None: see `looks`.
        precision: of curves; None: as they were measured.
        keeps_seconds: whether the record says how long each variant took.
        n_step, step: steps in all, and done.
        generator: of the seed, and this experiment's own.
        trainers: the variants by name.
        seconds: variant -> seconds of one core that its steps took so far.
    """

    title: ClassVar[str]
    n_look: ClassVar[int | None] = None
    precision: ClassVar[type[np.floating] | None] = None
    keeps_seconds: ClassVar[bool] = False

    def __init__(self, options: Any, seed: int):
        self.options, self.seed = options, seed
        self.n_step, self.step = int(options.n_step), 0
        self.generator = torch.Generator().manual_seed(seed)
        self.trainers: dict[str, Trainer] = {}
        self.seconds: dict[str, float] = {}
        self._curves: dict[str, list[Any]] = {}
        self.begin()
        self.seconds |= dict.fromkeys(self.trainers, 0.0)
        self._looks = frozenset(self.looks())
        self._look()

    @abstractmethod
    def begin(self) -> None:
        """Make the task and the variants."""

    def batch(self) -> tuple[Any, ...]:
        """What all variants learn from next."""
        raise NotImplementedError

    def loss(self, model: Any, *batch: Any) -> Float[Tensor, ""]:
        """What a variant is to make small."""
        raise NotImplementedError

    @abstractmethod
    def measure(self) -> Mapping[str, Any]:
        """What there is to see now, by its name in the record; numbers and arrays become curves and films there."""

    def latest(self) -> Mapping[str, Any]:
        """What the record has of the newest moment only."""
        return {}

    def weights(self) -> Arrays:
        """The trained weights, "model.<variant>.<parameter>"."""
        return {key: w for name, trainer in self.trainers.items() for key, w in trainer.weights(name).items()}

    def looks(self) -> Iterable[int]:
        """The steps after which all is measured."""
        return every(max(1, round(self.n_step / (self.n_look or self.n_step))), self.n_step)

    def learn(self) -> None:
        """One step of each variant."""
        batch = self.batch()
        for name, trainer in self.trainers.items():
            with self.timed(name):
                trainer.learn(self.loss(trainer.model, *batch))

    def advance(self) -> None:
        """One step of each variant, and a look at them if it is time.

        Raises:
            ValueError: in plain words, if the task can't go on.
            TrainingDiverged: if weights are no longer numbers after the last step.
        """
        self.learn()
        self.step += 1
        self._look()
        if self.step == self.n_step:
            self._check_weights()

    def _check_weights(self) -> None:
        """A loss tells of the step before it: what the last step did shows in the weights alone."""
        for name, trainer in self.trainers.items():
            if not all(bool(weight.isfinite().all()) for weight in trainer.model.parameters()):
                raise TrainingDiverged(
                    f"Training diverged: the weights of {name!r} are no longer numbers after step {self.step}. Try "
                    "another seed, or smaller learning rates where they can be set."
                )

    def record(self) -> Arrays:
        """All there is to see now, below a megabyte; called some times a second, so it is cheap.

        "step" has the steps at which "curve.<variant>.<what>", "frames.<variant>.<what>" and the like were measured;
        "model.<variant>.<parameter>" is as it is now; "seconds.<variant>" differs from machine to machine.
        """
        found: Arrays = {}
        for name, values in self._curves.items():
            array = np.array(values)
            is_curve = array.dtype == np.float64 and self.precision is not None
            found[name] = array.astype(self.precision) if is_curve else array
        return found | {name: np.asarray(value) for name, value in self.latest().items()} | self.weights()

    def keep(self, name: str, *values: Any) -> None:
        """Put values at the end of a curve."""
        self._curves.setdefault(name, []).extend(values)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Count the seconds of one core that this takes for a variant."""
        started = time.thread_time()
        yield
        self.seconds[name] += time.thread_time() - started

    @torch.no_grad()
    def _look(self) -> None:
        if self.step not in self._looks:
            return
        self.keep("step", self.step)
        for name, value in self.measure().items():
            self.keep(name, value)
        if self.keeps_seconds:
            for name, spent in self.seconds.items():
                self.keep(f"seconds.{name}", spent)


def check_for_browser(options: Inputs) -> None:
    """For what came from a browser: whoever runs a script waits for nobody else.

    Raises ValueError: in plain words, if it asks for more steps, or sends a longer text, than a browser may.
    """
    for name, control in options.controls():
        value, at = getattr(options, name), control.at(options).options
        if control.kind == "steps" and value > at["most"]:
            raise ValueError(
                f"{name}={value}: a browser may ask for up to {at['most']:,}, so that nobody else waits long; a script "
                "has no such limit"
            )
        if control.kind == "text_area" and len(value) > at["max_chars"]:
            raise ValueError(f"a text of {len(value):,} characters: a browser may send {at['max_chars']:,}")
