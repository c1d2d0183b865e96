"""The base of live experiments: variants of a model learn one task in parallel, with the same measures for each.

    class Induction(Experiment):
        title = "An induction head is born"
        n_eval = 60                                       # evaluations, evenly spaced
        learned = ("curve.two.loss < 0.5", "curve.one.loss > 1.5")  # at the end, from any seed

        @classmethod
        def variants(cls, options):                       # name -> config
            return {"two": config(2, options.n_head), "one": config(1, options.n_head)}

        def make_trainer(self, config): return adamw_trainer(config, self.seed, 6e-3, self.n_step)
        def begin(self): …                                # the task
        def batch(self): …                                # the next batch of all variants
        def loss(self, model, *batch): …
        def measure_one(self, model): …                   # {"loss": 0.7}, stored as "curve.<variant>.loss"

The base has the loop, the evaluation steps, and the record's curves, seconds and weights.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray
from torch import Tensor
from torch.nn import functional as F

from core.data.localization.labels import module_labels
from core.exhibit import Inputs
from core.models.gpt import GPT
from core.nn.tap import Trace
from core.train.experiments.fast_trainers import muon_trainer
from core.train.trainer import Trainer, TrainingDiverged

LABELS = module_labels(__name__)


Arrays = dict[str, NDArray[np.generic]]


class Experiment:
    """A short training run that an exhibit shows live, one step of each variant at a time.

    A subclass has its own module: `core/rooms/<room>/experiments/three_switches.py` defines `ThreeSwitches`, and the
    class of its `Options`, one of which is `n_step`.

    Args:
        options: the settings of the experiment.
        seed: of all random numbers.

    Raises ValueError: if the task can't be made, for example because its text is missing.

    Attributes:
        title: the experiment's name in a list of runs.
        n_eval: evaluations, evenly spaced; None: after each step. See `eval_steps`.
        eval_every: steps between two evaluations, if their number isn't given.
        eval_bend: above 1, evaluations are denser at the beginning, see `_evaluation_steps`; None: evenly spaced.
        eval_at: additional steps that are evaluated.
        precision: of curves; None: as they were measured.
        loss_curve: the entry for the loss of each step, "curve.loss", or "curve.{}.loss" by variant; None: not stored.
        keeps_weights: whether the record has the trained weights.
        keeps_seconds: whether the record has the time that each variant took.
        learned: conditions that hold at the end of a run with any seed, such as "curve.two.loss < 0.5". A curve's name
            means its last value; `first`, `min` or `max` before it choose another one. "0.5 < max curve.a.right <
            2 * curve.b.right + 0.1" shows the whole syntax. For an array, all elements are meant. One test checks all.
        probe: tokens whose attention is recorded in each variant, as "frames.<variant>.weights"; None: not recorded.
        n_step, step: total steps, and steps done.
        generator, rng: torch's and NumPy's random generators, seeded with the seed and used only by this experiment.
        trainers: the variants by name.
        seconds: variant -> seconds of one core that its steps have taken so far.
    """

    title: ClassVar[str]
    n_eval: ClassVar[int | None] = None
    eval_every: ClassVar[int | None] = None
    eval_bend: ClassVar[float | None] = None
    eval_at: ClassVar[Sequence[int]] = ()
    precision: ClassVar[type[np.floating] | None] = None
    loss_curve: ClassVar[str | None] = None
    keeps_weights: ClassVar[bool] = True
    keeps_seconds: ClassVar[bool] = False
    learned: ClassVar[tuple[str, ...]] = ()
    probe: list[int] | None = None

    def __init__(self, options: Any, seed: int):
        self.options, self.seed = options, seed
        self.n_step, self.step = int(options.n_step), 0
        self.generator, self.rng = torch.Generator().manual_seed(seed), np.random.default_rng([seed, 0])
        self.trainers: dict[str, Trainer] = {
            name: self.make_trainer(config) for name, config in self.variants(options).items()
        }
        self.seconds: dict[str, float] = {}
        self._curves: dict[str, list[object]] = {}
        if self.loss_curve is not None:
            for name in self.trainers:
                self.keep(self.loss_curve.format(name))  # there before the first step
        self.begin()
        self.seconds |= dict.fromkeys(self.trainers, 0.0)
        self._eval_at_steps = frozenset(self.eval_steps())
        self._evaluate()

    @classmethod
    def variants(cls, options: Any) -> Mapping[str, object]:
        """Return the config of each variant that follows from the options alone; `begin` makes the others."""
        return {}

    def make_trainer(self, config: Any) -> Trainer:
        """Return the trainer of a variant before its first step."""
        return muon_trainer(config, self.seed, self.n_step)

    def begin(self) -> None:
        """Make the task, and the `trainers` that `variants` leaves out."""

    def batch(self) -> tuple[object, ...]:
        """Draw the batch from which all variants learn next; see `loss`."""
        return ()

    def loss(self, model: Any, *batch: Any) -> Float[Tensor, ""]:
        """Return the loss that a variant minimizes, in nats.

        Unless overridden, it is the cross-entropy of the batch's last tensor, given the others; targets of -100 are
        ignored.
        """
        *inputs, targets = batch
        logits: Tensor = model(*inputs)  # (..., V)
        return F.cross_entropy(logits.flatten(0, -2), targets.flatten())

    def measure(self) -> Mapping[str, ArrayLike]:
        """Return numbers and arrays by their names in the record, where they become curves and frames.

        Unless overridden: `measure_one` of each variant, and its attention on the `probe` in steps of 1/255.
        """
        found: dict[str, ArrayLike] = {}
        for name, trainer in self.trainers.items():
            found |= {f"curve.{name}.{what}": value for what, value in self.measure_one(trainer.model).items()}
            if self.probe is not None:
                found[f"frames.{name}.weights"] = _attention_levels(trainer.model, self.probe)
        return found

    def measure_one(self, model: Any) -> Mapping[str, ArrayLike]:
        """Return the measures of one variant."""
        return {}

    def latest(self) -> Mapping[str, ArrayLike]:
        """Return entries of the record that have only the newest value."""
        return {} if self.probe is None else {"probe": np.array(self.probe)}

    def weights(self) -> Arrays:
        """Return the trained weights, "model.<variant>.<parameter>"."""
        return {key: w for name, trainer in self.trainers.items() for key, w in trainer.weights(name).items()}

    def eval_steps(self) -> Iterable[int]:
        """Return the steps after which everything is measured, including 0."""
        n_eval = self.n_eval or self.n_step
        if self.eval_bend is not None:
            return {0, *self.eval_at, *_evaluation_steps(self.n_step, n_eval, self.eval_bend)}
        return {*self.eval_at, *every_nth_step(self.eval_every or max(1, round(self.n_step / n_eval)), self.n_step)}

    def learn(self) -> None:
        """Make one step of each variant."""
        batch = self.batch()
        for name, trainer in self.trainers.items():
            with self.timed(name):
                loss = self.loss(trainer.model, *batch)
                trainer.learn(loss)
            if self.loss_curve is not None:
                self.keep(self.loss_curve.format(name), np.float32(loss.item()))

    def advance(self) -> None:
        """Make one step of each variant, and measure them if it is an evaluation step.

        Raises:
            ValueError: if the task can't continue.
            TrainingDiverged: if weights are no longer numbers after the last step.
        """
        self.learn()
        self.step += 1
        self._evaluate()
        if self.step == self.n_step:
            self._check_weights()

    def _check_weights(self) -> None:
        """Check the weights after the last step, because a loss shows only the effect of the steps before it."""
        for name, trainer in self.trainers.items():
            if not all(bool(weight.isfinite().all()) for weight in trainer.model.parameters()):
                raise TrainingDiverged(LABELS("diverged", model=repr(name), step=self.step))

    def record(self) -> Arrays:
        """Return the current record, below a megabyte; called a few times a second, so it is cheap.

        "step" has the steps at which "curve.<variant>.<what>", "frames.<variant>.<what>" and the like were measured.
        "model.<variant>.<parameter>" is the current value; "seconds.<variant>" differs from machine to machine.
        """
        found: Arrays = {}
        for name, values in self._curves.items():
            array = np.array(values)
            is_curve = array.dtype == np.float64 and self.precision is not None
            found[name] = array.astype(self.precision) if is_curve else array
        found |= {name: np.asarray(value) for name, value in self.latest().items()}
        return found | (self.weights() if self.keeps_weights else {})

    def keep(self, name: str, *values: object) -> None:
        """Append values to a curve."""
        self._curves.setdefault(name, []).extend(values)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add the CPU seconds of the `with` block to those of a variant."""
        started = time.thread_time()
        yield
        self.seconds[name] += time.thread_time() - started

    @torch.no_grad()
    def _evaluate(self) -> None:
        if self.step not in self._eval_at_steps:
            return
        self.keep("step", self.step)
        for name, value in self.measure().items():
            self.keep(name, value)
        if self.keeps_seconds:
            for name, spent in self.seconds.items():
                self.keep(f"seconds.{name}", spent)


def _attention_levels(model: GPT, ids: Sequence[int]) -> NDArray[np.uint8]:
    """Return a decoder's attention weights (L, H, T, T) on these tokens, in steps of 1/255."""
    with Trace(model) as trace:
        model(torch.tensor([list(ids)]))
    weights = torch.stack([trace[f"blocks.{layer}.attn.weights"][0] for layer in range(model.config.n_layer)])
    return (weights * 255).round().to(torch.uint8).numpy()


def check_visitor_limits(options: Inputs) -> None:
    """Check options from a browser, because a long run would make other visitors wait; scripts have no such limit.

    Raises ValueError: if there are more steps, or a longer text, than a browser may ask for.
    """
    for name, control in options.controls():
        value, at = getattr(options, name), control.resolve(options).options
        if control.kind == "steps" and value > at["most"]:
            raise ValueError(
                f"{name}={value}: a browser may ask for up to {at['most']:,}, so that nobody else waits long; a script "
                "has no such limit"
            )
        if control.kind == "text_area" and len(value) > at["max_chars"]:
            raise ValueError(f"a text of {len(value):,} characters: a browser may send {at['max_chars']:,}")


def _evaluation_steps(n_step: int, n_eval: int, bend: float = 1.5) -> list[int]:
    """Return at most `n_eval` rising steps from 1 to `n_step`, with the last one: `(100, 4)` gives `[12, 35, 65, 100]`.

    A bend of 1 spaces them evenly; above 1 they are denser at the beginning, where most changes happen.
    """
    return sorted({max(1, round(n_step * (i / n_eval) ** bend)) for i in range(1, n_eval + 1)})


def every_nth_step(n: int, n_step: int) -> list[int]:
    """Return the start, every n-th step, and the last one."""
    return [*range(0, n_step, n), n_step]
