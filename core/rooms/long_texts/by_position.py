"""A model trained on 64 tokens reads 512 in six ways: the loss of each next letter, by position."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import NOT_YET, Inputs as Base, Outcome, Result, Table, guess, seed
from core.rooms.long_texts.compute import ways
from core.rooms.long_texts.compute.ways import CLOCKS, WAYS
from core.rooms.long_texts.experiments import long_texts as experiment
from core.rooms.long_texts.experiments.long_texts import BIN, LONGEST, TRAINED
from core.train.experiment import run_of
from core.train.experiments.live import Live

EXPERIMENT = "long-texts"
LITTLE = 0.1  # nats: a smaller difference counts as no change
INSIDE = TRAINED // BIN  # points of a curve within the trained length
PLACES = np.arange(LONGEST // BIN) * BIN + (BIN + 1) / 2  # the middle of each bin
CODE = (ways.clocks, ways.Sinks, experiment.letter_losses, experiment.LongTexts)


class Inputs(Base, prefix="long_"):
    guess: str = guess(
        "Before you look: what happens after position 64?",
        {
            "better": "it gets better",
            "same": "nothing",
            "slowly": "it gets worse bit by bit",
            "at_once": "all is lost at once",
        },
    )
    seed: int = seed(depth="numbers")


class Beyond(Result):
    """The run so far; once it is finished, the mean losses of each way, in nats."""

    run: Live
    seeds: Live  # the same from three seeds
    has_guess: bool
    is_over: bool
    is_told: bool
    blind: float  # the loss of a model that only knows how often each letter occurs
    names: dict[str, str]
    ends_at: dict[str, tuple[float, float]]  # lowest and highest over three seeds, in the last 64 positions
    inside: float  # within the trained length, as trained
    after: dict[str, float]  # in the 64 positions after the trained length
    end: dict[str, float]  # in the last 64 of the 512 positions
    tuned: dict[str, float]  # the same for the ways that were fine-tuned
    best: str  # the way with the lowest loss at the end, with the original weights
    best_clock: str  # the same among the ways that read the whole text
    best_tuned: str
    bump: float  # how much worse the window is than with sinks, in the 64 positions after the trained length
    outcome: Outcome | None

    def losses(self, way: str, *, tuned: bool = False) -> NDArray[np.float32]:
        """Return the loss of the next letter (bins,) in nats; tuned: after some steps on long texts."""
        found: NDArray[np.float32] = self.run.record[f"{'tuned.' if tuned else ''}position.{way}"]
        return found

    def ends(self, way: str, *, tuned: bool = False) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the lowest and the highest of these losses (bins,), over the three seeds that ship."""
        found = self.seeds.record[f"{'tuned.' if tuned else ''}position.{way}"]
        return found.min(0), found.max(0)

    def table(self) -> Table:
        """Return the loss of each way by position; before that may be shown, the learning curve."""
        if not self.is_told:
            names = {"within 64": "inside"} | ({"65 to 128": "beyond"} if self.has_guess else {})
            shown = {title: self.run.record[f"curve.{name}"].round(4) for title, name in names.items()}
            return {"step": self.run.record["step"], **shown}
        found = {name: self.losses(way).round(4) for way, name in WAYS.items()}
        found |= {f"{WAYS[way]}, trained on": self.losses(way, tuned=True).round(4) for way in CLOCKS}
        return {"position": PLACES.tolist(), **found}


def compute(inputs: Inputs, run: Live) -> Beyond:
    """Return the record, without what the guess still hides."""
    record, seeds = run.record, run_of("long-texts-seeds")
    is_over = f"tuned.position.{CLOCKS[-1]}" in record

    def mean(way: str, place: slice) -> float:
        return float(record[f"position.{way}"][place].mean()) if is_over else np.nan

    last, after = slice(-INSIDE, None), {way: mean(way, slice(INSIDE, 2 * INSIDE)) for way in WAYS}
    end = {way: mean(way, last) for way in WAYS}
    tuned = {way: float(record[f"tuned.position.{way}"][last].mean()) if is_over else np.nan for way in CLOCKS}
    inside, read = mean("plain", slice(0, INSIDE)), {way: seeds.record[f"position.{way}"][:, last] for way in WAYS}
    return Beyond(
        run=run,
        seeds=seeds,
        has_guess=inputs.guess != NOT_YET,
        is_over=is_over,
        is_told=is_over and inputs.guess != NOT_YET,
        blind=float(record["blind"]),
        names=dict(WAYS),
        ends_at={way: (float(one.mean(1).min()), float(one.mean(1).max())) for way, one in read.items()},
        inside=inside,
        after=after,
        end=end,
        tuned=tuned,
        best=min(end, key=end.__getitem__),
        best_clock=min(CLOCKS, key=end.__getitem__),
        best_tuned=min(tuned, key=tuned.__getitem__),
        bump=after["window"] - after["sinks"],
        outcome=outcome_of(float(record["position.plain"][INSIDE]), inside, after["plain"], end["plain"])
        if is_over
        else None,
    )


def outcome_of(first: float, inside: float, after: float, end: float) -> Outcome:
    """Classify the losses right after the trained length, within it, in the 64 positions after it, and at the end."""
    last = end - inside
    if last < LITTLE:
        return Outcome("better" if last < -LITTLE else "same")
    text = f"{inside:.2f} before it, {after:.2f} in the 64 tokens after it, {end:.2f} at the end"
    return Outcome("at_once" if first - inside > 0.7 * last else "slowly", text)


def draw(result: Beyond, inputs: Inputs, run: Live) -> None:
    """Draw the loss by training step; after the guess, by position."""
    if not result.is_told:
        curves = {"next letter, within 64 tokens": (run.record["step"], run.record["curve.inside"])}
        ui.curves(curves, y=ui.measured("loss", "nats"), n_step=run.n_step, height=320)
        return
    top = max(float(result.losses(way).max()) for way in WAYS)
    for ways_shown, tuned in ((tuple(WAYS), False), (CLOCKS, True)):
        ends = {WAYS[way]: result.ends(way, tuned=tuned) for way in ways_shown}
        ui.curves(
            {WAYS[way]: (PLACES, result.losses(way, tuned=tuned)) for way in ways_shown},
            title=ui.words("tuned-title") if tuned else "",
            x="position in the text",
            y=ui.Axis(ui.measured("loss of the next letter", "nats"), (1, 1.05 * top)),
            references={"letter frequencies alone": result.blind},
            at=TRAINED,
            bands=ends if ui.at_least("numbers") else {},
            height=240 if tuned else 300,
        )
