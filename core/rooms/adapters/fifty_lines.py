"""Fifty lines of one's own, learned by a frozen model with thin updates beside it, and by all of it."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.charts.race import race
from core.guess import Came, Guessed
from core.inputs import NOT_YET, Look, guess, seed, segmented, text_input
from core.inputs import Inputs as Base
from core.models import pretrained
from core.rooms.adapters.compute import lora
from core.rooms.adapters.compute.adapted import adapted, written
from core.rooms.adapters.experiments import adapters as task
from core.rooms.adapters.experiments.adapters import RANKS, VARIANTS
from core.rooms.adapters.inputs import RANK
from core.train.experiments.live import Live

EXPERIMENT = "adapters"
NAMES = {**{f"rank_{rank}": f"rank {rank}" for rank in RANKS}, "full": "all of it"}
GUESSES = {"all": "all of them", "half": "about half", "tenth": "about a tenth", "hundredth": "about one in a hundred"}
SHARES = {"all": 1.0, "half": 0.5, "tenth": 0.1, "hundredth": 0.01}
SHOWN = ("rank_1", "rank_16", "full")  # of which there are curves
HEIGHT = 300
CODE = (lora.LoRA, lora.adapt, task.Adapters)


class Inputs(Base, prefix="lora_"):
    """The lines, the seed, a beginning to write on from, and the rank that writes."""

    text: str = task.Options.control("text")
    seed: int = seed(depth="numbers")
    guess: str = guess("How many of the model's numbers must learn, to learn the lines as well as if all did?", GUESSES)
    beginning: str = text_input("A line that begins with", "A cake", max_chars=60, depth="numbers")
    rank: int = segmented("Rank of the update", RANK, 1, look=Look(), depth="numbers")


@dataclass(frozen=True)
class Result(Guessed):
    """The training as far as it is, and what a line becomes."""

    guesses = GUESSES
    run: Live
    guess: str
    texts: dict[int, str]  # rank -> what it writes; 0: without an update
    n_all: int  # parameters of the model
    n_update: dict[int, int]  # rank -> parameters of its updates

    @property
    def is_told(self) -> bool:
        return self.run.is_done and self.guess != NOT_YET

    @property
    def new(self) -> dict[str, float]:
        """Loss on lines that were held out, by variant."""
        return {v: float(self.run.record[f"curve.{v}.new"][-1]) for v in VARIANTS}

    @property
    def old(self) -> dict[str, float]:
        """Loss on the stories, by variant."""
        return {v: float(self.run.record[f"curve.{v}.old"][-1]) for v in VARIANTS}

    @property
    def before(self) -> tuple[float, float]:
        """Loss on the lines and on the stories before the training."""
        new, old = (float(self.run.record[f"curve.full.{what}"][0]) for what in ("new", "old"))
        return new, old

    @property
    def smallest(self) -> int | None:
        """The smallest rank that ends no higher on the held-out lines than the whole model does; None: no rank does."""
        return next((rank for rank in RANKS if self.new[f"rank_{rank}"] <= self.new["full"]), None)

    @property
    def came(self) -> Came | None:
        if not self.run.is_done:
            return None
        n = self.n_all if self.smallest is None else self.n_update[self.smallest]
        share = n / self.n_all
        answer = min(SHARES, key=lambda name: abs(SHARES[name] - share))
        return Came(answer, f"{n:,} of {self.n_all:,}, {share:.1%}")

    def table(self) -> dict[str, list[float]]:
        """Look by look."""
        return task.table(self.run.record)


def compute(inputs: Inputs, run: Live) -> Result:
    """What the record has, and what the model writes without and with the update of each rank."""
    plain: Any = pretrained.load(task.MODEL).model
    n_update = {r: sum(r * (one.in_features + one.out_features) for _, one in lora.matrices(plain)) for r in RANKS}
    texts = {rank: written(adapted(run, rank), inputs.beginning, run.seed) for rank in (0, *RANKS)}
    return Result(run, inputs.guess, texts, sum(w.numel() for w in plain.parameters()), n_update)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """What the model writes, what was learned of the lines, and what was forgotten of the stories."""
    record, hidden = run.record, () if result.is_told else [NAMES[v] for v in SHOWN if v != "full"]
    if run.is_done:
        ui.say("without")
        ui.say_each("with", [{"written": result.texts[rank], "of": rank} for rank in RANKS], "lora_rank")
    for side, what in zip(ui.pair("lora-losses"), ("new", "old"), strict=True):
        curves = {NAMES[v]: (record["step"], record[f"curve.{v}.{what}"]) for v in SHOWN}
        shape: dict[str, Any] = {"y_limits": (0, 2.5), "height": HEIGHT, "n_step": run.n_step, "hidden": hidden}
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
