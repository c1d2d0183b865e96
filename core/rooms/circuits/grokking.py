"""Grokking: a model that knows its pairs by heart, and much later can add; its numbers meanwhile form a circle."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, Look, guess, nearest, seed, slider
from core.exhibit import Inputs as Base
from core.rooms.circuits.compute import fourier
from core.rooms.circuits.experiments import grokking as task
from core.rooms.circuits.experiments.grokking import LEARNED, N_NUMBER, UNDERSTOOD, VARIANTS
from core.rooms.circuits.ring_widget import ring
from core.train.experiments.live import Live

EXPERIMENT = "grokking"
N_MOMENT = len(task.looks(task.Options().n_step))
AT = "grok_moment"
GUESSES = {"all": "nearly all of them", "half": "about half", "none": "no more than by chance"}
SHARES = {"all": 1.0, "half": 0.5, "none": 1 / N_NUMBER}
UNSEEN = {"rule": "pairs it never saw", "no_decay": "the same, no weight decay", "random": "the same, no rule"}
CODE = (task.Grokking, task.trainer, fourier.spectrum, fourier.directions)


class Inputs(Base, prefix="grok_"):
    """A guess, the training, and a moment of it."""

    guess: str = guess(
        "It has all pairs right that it learns from. How many of those that it never saw, at that moment?", GUESSES
    )
    share: int = task.Options.control("share")
    seed: int = seed()
    moment: int = slider("Moment of the training", 0, N_MOMENT - 1, N_MOMENT - 1, look=Look())


@dataclass(frozen=True)
class Result(Guessed):
    """The training as far as it is, and the circle in it."""

    guesses = GUESSES
    run: Live
    guess: str
    frequency: int  # the strongest one by now
    points: NDArray[np.float32]  # (n, 31, 2) the numbers in the two directions in which it turns now, at each look
    spectra: NDArray[np.float64]  # (n, 15) share of the variance at each frequency

    @property
    def is_told(self) -> bool:
        return self.run.is_done and self.guess != NOT_YET

    @property
    def learned_at(self) -> int | None:
        """The step after which it knows all pairs that it learns from."""
        return task.moment(self.run.record, "learned", LEARNED)

    @property
    def understood_at(self) -> int | None:
        """The step after which it is right on nearly all others."""
        return task.moment(self.run.record, "unseen", UNDERSTOOD)

    @property
    def then(self) -> int:
        """The look at which it knows them."""
        return int(np.argmax(self.run.record["step"] == self.learned_at))

    @property
    def unseen_then(self) -> float:
        """Share of the pairs that it never saw on which it is right at that moment."""
        return float(self.run.record["curve.rule.unseen"][self.then])

    @property
    def last(self) -> dict[str, float]:
        """Share of the pairs that it never saw on which each variant is right by now."""
        return {v: float(self.run.record[f"curve.{v}.unseen"][-1]) for v in VARIANTS}

    @property
    def learned(self) -> dict[str, float]:
        """The same of the pairs that it learns from."""
        return {v: float(self.run.record[f"curve.{v}.learned"][-1]) for v in VARIANTS}

    @property
    def norm(self) -> dict[str, float]:
        """Length of all weights of each variant by now, and at the start."""
        now = {v: float(self.run.record[f"curve.{v}.norm"][-1]) for v in VARIANTS}
        return now | {"start": float(self.run.record["curve.rule.norm"][0])}

    @property
    def lowest(self) -> float:
        """The least that it had right of the pairs that it learns from, once it had known them all."""
        return float(self.run.record["curve.rule.learned"][self.then :].min())

    @property
    def lowest_unseen(self) -> float | None:
        """The least that it had right of the pairs that it never saw, once it had nearly all of them; None: never."""
        if self.understood_at is None:
            return None
        i = int(np.argmax(self.run.record["step"] == self.understood_at))
        return float(self.run.record["curve.rule.unseen"][i:].min())

    @property
    def chance(self) -> float:
        return 1 / N_NUMBER

    @property
    def came(self) -> Came | None:
        if not self.run.is_done or self.learned_at is None:
            return None
        n = int(np.sum(self.run.record["is_learned"] == 0))
        words = f"{round(self.unseen_then * n)} of {n}, where blind guessing has {n * self.chance:.0f}"
        return Came(nearest(self.unseen_then, SHARES), words)

    @property
    def moments(self) -> list[dict[str, Any]]:
        """What there is to say of each look."""
        record = self.run.record
        return [
            {
                "at": int(record["step"][i]),
                "learned_then": float(record["curve.rule.learned"][i]),
                "unseen": float(record["curve.rule.unseen"][i]),
                "held": float(self.spectra[i, self.frequency - 1]),
                "best": float(self.spectra[i].max()),
            }
            for i in range(len(record["step"]))
        ]

    def table(self) -> dict[str, list[float]]:
        """Look by look."""
        return task.table(self.run.record)


def compute(inputs: Inputs, run: Live) -> Result:
    """The strongest frequency by now, and what its two directions show at each look."""
    shown = task.frames(run.record, "rule")
    spectra = fourier.spectrum(shown)
    frequency = int(spectra[-1].argmax()) + 1
    two = fourier.directions(shown[-1], frequency)
    points = np.stack([fourier.seen(one, two) for one in shown]).astype(np.float32)
    return Result(run, inputs.guess, frequency, points, spectra)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """Right answers by training step, and the circle at a moment; the frequencies at all of them."""
    left, right = ui.pair("grok-pictures")
    with left:
        _accuracy(result, run)
    with right:
        _circle(result)
    if result.is_told:
        ui.say_each("moment", every(result.moments), AT)
    if ui.at_least("numbers"):
        _spectrum(result)
    if not result.is_told:
        ui.say("guess" if run.is_done else "after")
        return
    ui.say("guessed")
    ui.say("understood" if result.understood_at is not None else "not-yet")
    ui.say("others")
    ui.say("dips")
    if ui.at_least("numbers"):
        ui.say("lengths")
        _inside(run)


def every(values: Any) -> Any:
    """Something for each place of the choice: what is not trained yet is as it is by now; of a longer run, the end."""
    places = [min(i, len(values) - 1) for i in range(N_MOMENT)]
    return values[places] if isinstance(values, np.ndarray) else [values[i] for i in places]


def _decades(run: Live) -> list[float]:
    return [*(float(10**i) for i in range(4) if 10**i < run.n_step), float(max(run.n_step, 2))]


def _curves(run: Live, named: dict[str, str], **look: Any) -> None:
    """Curves of the record, by name; the first step has no place on a logarithmic axis."""
    decades = _decades(run)
    steps = ui.Axis("training step", (decades[0], decades[-1]), ticks=decades, is_log=True)
    ui.curves({name: (run.record["step"], run.record[key]) for key, name in named.items()}, x=steps, **look)


def _accuracy(result: Result, run: Live) -> None:
    named = {"curve.rule.learned": "pairs it learns from"}
    if result.guess != NOT_YET:
        named |= {f"curve.{variant}.unseen": name for variant, name in UNSEEN.items()}
    share = ui.Axis("share of right answers", (0, 1.02))
    _curves(run, named, y=share, at=result.learned_at, alt=ui.words("curves"))


def _circle(result: Result) -> None:
    ring(
        ui.along(every(result.points), AT),
        order=fourier.ring(N_NUMBER, result.frequency),
        key="grok-ring",
        label=ui.along([ui.words("circle", at=one["at"]) for one in every(result.moments)], AT),
        takeaway=ui.words("ring"),
    )


def _spectrum(result: Result) -> None:
    steps = result.run.record["step"]
    ui.matrix(
        result.spectra.T,
        rows=[str(k) for k in range(1, result.spectra.shape[1] + 1)],
        columns=[str(step) for step in steps],
        row_title="frequency",
        column_title="training step",
        value_title="share of the variance",
        kind="value",
        limits=(0.0, max(0.3, float(result.spectra.max()))),
        selected=(result.frequency - 1, ui.chosen(AT)),
        chooses={"column": AT},
        key="grok-spectrum",
        label=ui.words("spectrum"),
        height=240,
    )


def _inside(run: Live) -> None:
    """The losses, and how long the weights are."""
    left, right = ui.pair("grok-inside")
    losses = {"curve.rule.loss": "pairs it learns from", **{f"curve.{v}.unseen_loss": n for v, n in UNSEEN.items()}}
    names = {"rule": "with weight decay", "no_decay": "without", "random": "with, no rule"}
    with left:
        _curves(run, losses, y=ui.measured("loss", "nats"), height=260, alt=ui.words("losses"))
    with right:
        norms = {f"curve.{v}.norm": name for v, name in names.items()}
        _curves(run, norms, y="length of all weights", height=260, alt=ui.words("norms"))
