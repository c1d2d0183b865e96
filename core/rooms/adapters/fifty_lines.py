"""Fifty lines of one's own, learned with LoRA at five ranks and with full fine-tuning, compared at the best steps."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.race import race
from core.exhibit import NOT_YET, Came, Guessed, Look, guess, seed, segmented, text_input
from core.exhibit import Inputs as Base
from core.models import pretrained
from core.rooms.adapters.compute import lora
from core.rooms.adapters.compute.adapted import adapted, written
from core.rooms.adapters.experiments import adapters as task
from core.rooms.adapters.experiments.adapters import RANKS
from core.rooms.adapters.inputs import RANK
from core.train.experiment import record_of
from core.train.experiments.live import Live

EXPERIMENT = "adapters"
NAMES = {**{f"rank_{rank}": f"rank {rank}" for rank in RANKS}, "full": "full fine-tuning"}
NEAR = 0.05  # nats: ten held-out lines can't tell smaller differences apart
GUESSES = {
    "lora": "LoRA with rank 1",
    "same": "about the same",
    "full": "full fine-tuning",
}
SHOWN = ("rank_1", "rank_16", "full")  # of which there are curves
HEIGHT = 300
CODE = (lora.LoRA, lora.adapt, task.Adapters)


class Inputs(Base, prefix="lora_"):
    """The lines, the seed, a beginning to write on from, and the rank that writes."""

    text: str = task.Options.control("text")
    seed: int = seed(depth="numbers")
    guess: str = guess(
        "Each is stopped at its best step. Which then has the lower loss on lines that it never saw?", GUESSES
    )
    beginning: str = text_input("A line that begins with", "A cake", max_chars=60, depth="numbers")
    rank: int = segmented("Rank of the update", RANK, 1, look=Look(), depth="numbers")


@dataclass(frozen=True)
class Evaluation:
    """The losses of one variant after one step, in nats per token."""

    step: int
    train: float  # on the lines that it learns from
    new: float  # on lines that were held out
    old: float  # on the stories


@dataclass(frozen=True)
class Seeds:
    """By how much rank 1 is behind full fine-tuning at the best steps of both, over the seeds that ship."""

    n: int
    behind: tuple[float, float]  # the lowest and the highest difference


@dataclass(frozen=True)
class Result(Guessed):
    """The training as far as it is, and what a line becomes."""

    guesses = GUESSES
    run: Live
    guess: str
    texts: dict[int, str]  # rank -> what it writes; 0: without an update
    n_all: int  # parameters of the model
    n_update: dict[int, int]  # rank -> parameters of its updates
    uniform_loss: float  # of a uniform guess among all tokens
    seeds: Seeds

    @property
    def is_told(self) -> bool:
        return self.run.is_done and self.guess != NOT_YET

    def best(self, variant: str) -> Evaluation:
        """The evaluation with the lowest loss on the held-out lines (early stopping)."""
        return self._evaluation(variant, int(self.run.record[f"curve.{variant}.new"].argmin()))

    def last(self, variant: str) -> Evaluation:
        """The evaluation after the last step."""
        return self._evaluation(variant, -1)

    def _evaluation(self, variant: str, i: int) -> Evaluation:
        train, new, old = (float(self.run.record[f"curve.{variant}.{what}"][i]) for what in task.MEASURED)
        return Evaluation(int(self.run.record["step"][i]), train, new, old)

    @property
    def before(self) -> tuple[float, float]:
        """Loss on the lines and on the stories before the training."""
        new, old = (float(self.run.record[f"curve.full.{what}"][0]) for what in ("new", "old"))
        return new, old

    @property
    def smallest_at_best(self) -> int | None:
        """The smallest rank that is no worse than full fine-tuning, each at its best step; None: no rank is."""
        goal = self.best("full").new
        return next((rank for rank in RANKS if self.best(f"rank_{rank}").new <= goal), None)

    @property
    def came(self) -> Came | None:
        if not self.run.is_done:
            return None
        thin, full = self.best("rank_1").new, self.best("full").new
        answer = "same" if abs(thin - full) < NEAR else "full" if full < thin else "lora"
        return Came(answer, f"{thin:.2f} with rank 1, {full:.2f} with full fine-tuning")

    def table(self) -> dict[str, list[float]]:
        """Look by look."""
        return task.table(self.run.record)


def best_of_seeds(record: task.Record, variant: str) -> NDArray[np.float64]:
    """(seeds,) the lowest loss on held-out lines, of the record of `adapters-seeds`."""
    return np.asarray(record[f"curve.{variant}.new"], np.float64).min(0)


def compute(inputs: Inputs, run: Live) -> Result:
    """What the record has, and what the model writes without and with the update of each rank."""
    loaded: Any = pretrained.load(task.MODEL)
    plain = loaded.model
    n_update = {r: sum(r * (one.in_features + one.out_features) for _, one in lora.matrices(plain)) for r in RANKS}
    texts = {rank: written(adapted(run, rank), inputs.beginning, run.seed) for rank in (0, *RANKS)}
    seeds = record_of("adapters-seeds")
    behind = best_of_seeds(seeds, "rank_1") - best_of_seeds(seeds, "full")
    return Result(
        run,
        inputs.guess,
        texts,
        sum(w.numel() for w in plain.parameters()),
        n_update,
        math.log(loaded.config.vocab_size),
        Seeds(len(behind), (float(behind.min()), float(behind.max()))),
    )


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """What the model writes, and both losses by training step, each best step in a ring."""
    record, hidden = run.record, () if result.is_told else [NAMES[v] for v in SHOWN if v != "full"]
    if run.is_done:
        ui.say("without")
        ui.say_each("with", [{"written": result.texts[rank], "of": rank} for rank in RANKS], "lora_rank")
    for side, what in zip(ui.pair("lora-losses"), ("new", "old"), strict=True):
        curves = {NAMES[v]: (record["step"], record[f"curve.{v}.{what}"]) for v in SHOWN}
        shape: dict[str, Any] = {"y_limits": (0, 2.5), "height": HEIGHT, "n_step": run.n_step, "hidden": hidden}
        shape["marks"] = {NAMES[v]: result.best(v).step for v in SHOWN} if run.is_done else {}
        title = ui.words(f"title-{what}")
        spec = race(curves, title=title, y_title=ui.measured("loss", "nats per token"), mode=ui.color_mode(), **shape)
        with side:
            ui.chart(spec, alt=ui.words(f"alt-{what}"))
    if not result.is_told:
        ui.say("guess" if run.is_done else "after")
        return
    ui.say("guessed")
    ui.say("learned")
    ui.say("forgot")
    ui.say("seeds")
