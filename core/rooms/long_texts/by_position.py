"""A model trained on 64 tokens reads 512 in six ways: what each next letter costs, by position."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.curves import Curve
from core.charts.figure import Spec
from core.charts.lines import lines
from core.charts.race import race
from core.exhibit import NOT_YET, Came, Guessed, guess, seed
from core.exhibit import Inputs as Base
from core.rooms.long_texts.compute import ways
from core.rooms.long_texts.compute.ways import CLOCKS, WAYS
from core.rooms.long_texts.experiments import long_texts as experiment
from core.rooms.long_texts.experiments.long_texts import BIN, LONGEST, TRAINED
from core.train.experiment import run_of
from core.train.experiments.live import Live

EXPERIMENT = "long-texts"
GUESSES = {
    "better": "it gets better",
    "same": "nothing",
    "slowly": "it gets worse bit by bit",
    "at_once": "all is lost at once",
}
LITTLE = 0.1  # nats: less is no change
INSIDE = TRAINED // BIN  # points of a curve within the trained length
BLIND = "letter frequencies alone"
CODE = (ways.clocks, ways.Sinks, experiment.letter_losses, experiment.LongTexts)


class Inputs(Base, prefix="long_"):
    """The guess, and the seed of the training."""

    guess: str = guess("Before you look: what happens after position 64?", GUESSES)
    seed: int = seed(depth="numbers")


@dataclass(frozen=True)
class Result(Guessed):
    """The training as far as it is; what was read in each way once there has been a guess."""

    guesses = GUESSES
    run: Live
    guess: str
    seeds: Live  # the same, of three seeds at once

    @property
    def is_over(self) -> bool:
        return f"tuned.position.{CLOCKS[-1]}" in self.run.record

    @property
    def is_told(self) -> bool:
        return self.is_over and self.guess != NOT_YET

    def losses(self, way: str, *, tuned: bool = False) -> NDArray[np.float32]:
        """(bins,) nats of the next letter; tuned: after some steps on long texts."""
        found: NDArray[np.float32] = self.run.record[f"{'tuned.' if tuned else ''}position.{way}"]
        return found

    def ends(self, way: str, *, tuned: bool = False) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(bins,) the lowest and the highest of these losses, of the three seeds that ship."""
        found = self.seeds.record[f"{'tuned.' if tuned else ''}position.{way}"]
        return found.min(0), found.max(0)

    @property
    def ends_at(self) -> dict[str, tuple[float, float]]:
        """Way -> the lowest and the highest loss in the last 64 positions, of the three seeds."""
        found = {way: self.seeds.record[f"position.{way}"][:, -INSIDE:].mean(1) for way in WAYS}
        return {way: (float(one.min()), float(one.max())) for way, one in found.items()}

    @property
    def inside(self) -> float:
        """The loss within the trained length, as trained."""
        return float(self.losses("plain")[:INSIDE].mean())

    @property
    def after(self) -> dict[str, float]:
        """Way -> the loss in the 64 positions after the trained length."""
        return {way: float(self.losses(way)[INSIDE : 2 * INSIDE].mean()) for way in WAYS}

    @property
    def end(self) -> dict[str, float]:
        """Way -> the loss in the last 64 of the 512 positions."""
        return {way: float(self.losses(way)[-INSIDE:].mean()) for way in WAYS}

    @property
    def tuned(self) -> dict[str, float]:
        """The same of those that were trained on."""
        return {way: float(self.losses(way, tuned=True)[-INSIDE:].mean()) for way in CLOCKS}

    @property
    def best(self) -> str:
        """The way with the lowest loss at the end, no weight changed."""
        return min(self.end, key=self.end.__getitem__)

    @property
    def best_clock(self) -> str:
        """The same among those that read all of the text."""
        return min(CLOCKS, key=self.end.__getitem__)

    @property
    def best_tuned(self) -> str:
        return min(self.tuned, key=self.tuned.__getitem__)

    @property
    def names(self) -> dict[str, str]:
        return dict(WAYS)

    @property
    def blind(self) -> float:
        """What a letter costs one who knows how often each occurs."""
        return float(self.run.record["blind"])

    @property
    def bump(self) -> float:
        """By how much the window is worse than with sinks, in the 64 positions after the trained length."""
        return self.after["window"] - self.after["sinks"]

    @property
    def came(self) -> Came | None:
        if not self.is_over:
            return None
        first = float(self.losses("plain")[INSIDE]) - self.inside
        last = self.end["plain"] - self.inside
        if last < LITTLE:
            return Came("better" if last < -LITTLE else "same")
        after, end = self.after["plain"], self.end["plain"]
        words = f"{self.inside:.2f} before it, {after:.2f} in the 64 tokens after it, {end:.2f} at the end"
        return Came("at_once" if first > 0.7 * last else "slowly", words)

    def table(self) -> dict[str, Any]:
        """The loss by position of each way; before that may be told, the training."""
        if not self.is_told:
            record = self.run.record
            names = {"within 64": "curve.inside", "65 to 128": "curve.beyond"}
            shown = {
                title: record[name].round(4) for title, name in names.items() if self.guess != NOT_YET or "i" in title
            }
            return {"step": record["step"], **shown}
        found = {name: self.losses(way).round(4) for way, name in WAYS.items()}
        found |= {f"{WAYS[way]}, trained on": self.losses(way, tuned=True).round(4) for way in CLOCKS}
        return {"position": places().tolist(), **found}


def places() -> NDArray[np.float64]:
    """The middle of each bin."""
    return np.arange(LONGEST // BIN, dtype=np.float64) * BIN + (BIN + 1) / 2


def compute(inputs: Inputs, run: Live) -> Result:
    """The record, and whether it may be told."""
    return Result(run, inputs.guess, run_of("long-texts-seeds"))


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The loss by training step; after a guess, by position."""
    if not result.is_told:
        curves = {"next letter, within 64 tokens": (run.record["step"], run.record["curve.inside"])}
        ui.chart(
            race(curves, y_title=ui.measured("loss", "nats"), n_step=run.n_step, mode=ui.color_mode(), height=320),
            alt=ui.words("by-step"),
        )
        ui.say("guess" if result.is_over else "running")
        return
    ui.chart(_chart(result, WAYS, tuned=False), alt=ui.words("by-position"), key="long-read")
    ui.say("read")
    ui.say("guessed")
    ui.say("window")
    ui.write(ui.words("tuned-title"))
    ui.chart(
        _chart(result, {way: WAYS[way] for way in CLOCKS}, tuned=True), alt=ui.words("tuned-alt"), key="long-tuned"
    )
    ui.say("tuned")
    ui.say("seeds")
    ui.say("large")


def _chart(result: Result, names: Any, *, tuned: bool) -> Spec:
    at = places().tolist()
    curves = [Curve(name, at, result.losses(way, tuned=tuned).tolist()) for way, name in names.items()]
    curves.append(Curve(BLIND, at, [result.blind] * len(at)))
    top = max(float(result.losses(way).max()) for way in WAYS)
    ends = {name: result.ends(way, tuned=tuned) for way, name in names.items()} if ui.at_least("numbers") else {}
    return lines(
        curves,
        x_title="position in the text",
        y_title=ui.measured("loss of the next letter", "nats"),
        mode=ui.color_mode(),
        height=300 if not tuned else 240,
        y_range=(1, top * 1.05),
        marked=TRAINED,
        bands={name: (low.tolist(), high.tolist()) for name, (low, high) in ends.items()} if ends else None,
    )
