"""Eight layers without residual paths: all tokens become the same vector, and nothing can be learned."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from core import ui
from core.charts.curves import Reference
from core.charts.race import race
from core.data.synthetic import NOUNS, referents
from core.exhibit import NOT_YET, Came, Guessed, Look, guess, seed, segmented, slider
from core.exhibit import Inputs as Base
from core.rooms.block import sizes_in_words
from core.rooms.block.experiments import depth as task
from core.rooms.block.experiments.depth import FULL, NAMES, WITHOUT
from core.train.experiments.live import Live

EXPERIMENT = "depth"
LAYER, OTHER = "collapse_layer", "collapse_other"
GUESSES = {"both": "both learn it", "two": "only the two layers", "eight": "only the eight layers", "none": "neither"}
CHANCE = Reference(1 / len(NOUNS), "chance: one noun of eight")
LEARNED = 0.95  # of the held-out sentences; what is called learned here
CODE = (task.Depth, task.diversity, task.likeness, task.start_wide)


class Inputs(Base, prefix="collapse_"):
    """The guess, and afterwards where to look."""

    guess: str = guess("Before you look: without residual paths, which models learn the task?", GUESSES)
    seed: int = seed()
    layer: int = slider("Layers passed", 0, 8, 8, when=lambda i: i.guess != NOT_YET, look=Look())
    other: str = segmented(
        "On the right",
        {variant: name for variant, name in FULL.items() if variant != "pre_8"},
        "none_8",
        when=lambda i: i.guess != NOT_YET,
        look=Look(),
    )


@dataclass(frozen=True)
class Result(Guessed):
    """Four models as far as they are trained."""

    guesses = GUESSES
    run: Live
    guess: str  # `NOT_YET` hides the models without residual paths

    @property
    def hidden(self) -> tuple[str, ...]:
        return WITHOUT if self.guess == NOT_YET else ()

    @property
    def accuracy(self) -> dict[str, float]:
        """Variant -> on the held-out sentences, now."""
        return {variant: float(self.run.record[f"curve.{variant}.accuracy"][-1]) for variant in NAMES}

    @property
    def learned(self) -> Literal["both", "two", "eight", "none"]:
        """Which of the guesses came true."""
        eight, two = (self.accuracy[variant] > LEARNED for variant in WITHOUT)
        if eight:
            return "both" if two else "eight"
        return "two" if two else "none"

    @property
    def came(self) -> Came:
        return Came(self.learned)

    def left(self, variant: str, moment: int = -1) -> str:
        """How different the tokens are after the last layer, in words."""
        return sizes_in_words.size_in_words(float(self.run.record[f"diversity.{variant}"][moment, -1]))

    @property
    def formula(self) -> str | None:
        """Diversity before the first and after the last of eight layers without paths."""
        if self.hidden:
            return None
        first, *_, last = self.run.record["diversity.none_8"][-1]
        digits, power = f"{last:.1e}".split("e")
        return rf"{first:.3f} \;\to\; {digits} \cdot 10^{{{int(power)}}} \quad \text{{in 8 layers without}}"

    def table(self) -> dict[str, list[Any]]:
        """The accuracy on held-out sentences, step by step."""
        record = self.run.record
        accuracy = {name: record[f"curve.{v}.accuracy"].round(4).tolist() for v, name in NAMES.items()}
        return {"step": record["step"].tolist(), **accuracy}


def compute(inputs: Inputs, run: Live) -> Result:
    """The models, and whether those without residual paths may be seen yet."""
    return Result(run, inputs.guess)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The race, the diversity by layer before and after, and the cosines between the tokens."""
    record, names = run.record, {v: name for v, name in FULL.items() if v not in result.hidden}
    spec = race(
        {name: (record["step"], record[f"curve.{v}.accuracy"]) for v, name in FULL.items()},
        [CHANCE],
        title="What is “it”? Sentences never seen in training",
        y_title="share of right answers",
        n_step=run.n_step,
        mode=ui.color_mode(),
        y_limits=(0, 1.05),
        hidden=[FULL[v] for v in result.hidden],
        height=270,
    )
    now = ", ".join(f"{name}: {result.accuracy[v]:.0%}" for v, name in names.items())
    ui.chart(spec, alt=f"Accuracy by training step. After step {run.step}, {now}.")
    if result.hidden:
        ui.say("hidden")
        return
    ui.say("verdict")
    for place, moment, title in zip(
        ui.pair("collapse-diversity"), (0, -1), ("At the start", f"After step {run.step}"), strict=True
    ):
        found = {name: record[f"diversity.{v}"][moment] for v, name in FULL.items()}
        spec = race(
            {name: (np.arange(len(values)), values) for name, values in found.items()},
            title=title,
            y_title="diversity of the tokens",
            x_title="layers passed",
            n_step=8,
            mode=ui.color_mode(),
            y_limits=(0, 1.05),
            height=280,
        )
        ends = ", ".join(f"{name}: {result.left(v, moment)}" for v, name in FULL.items())
        with place:
            ui.chart(spec, alt=f"{title}, diversity after the last layer, {ends}.")
    left, right = ui.pair("collapse-likeness")
    with left:
        _likeness(run, "left", "pre_8")
    with right:
        _likeness(run, "right", ui.each(str, OTHER))


def _likeness(run: Live, side: str, variant: Any) -> None:
    """The cosines between the tokens after each layer; a model of fewer layers stays as after its last one."""
    tokens, layer = referents.tokens(referents.split(run.seed)[0][0]), ui.each(int, LAYER)
    passed = ui.over(lambda one, n: min(n, len(run.record[f"likeness.{one}"]) - 1), variant, layer)
    values = ui.over(lambda one, n: np.clip(run.record[f"likeness.{one}"][n], -1, 1), variant, passed)
    apart = ui.over(lambda one: one[~np.eye(len(tokens), dtype=bool)], values)
    facts = {
        "low": ui.over(np.min, apart),
        "high": ui.over(np.max, apart),
        "end": ui.over(lambda n, asked: ui.words("last") if n < asked else "", passed, layer),
    }
    ui.matrix(
        ui.stacked(values),
        rows=tokens,
        columns=tokens,
        key=f"collapse.{side}",
        kind="signed",
        limits=(-1, 1),
        row_title="word",
        column_title="other word",
        value_title="cosine",
        height=340,
        label=ui.over(lambda one, n: f"{FULL[one]}: after {ui.plural(n, 'layer')}", variant, passed),
        takeaway=ui.over(lambda *values: ui.words("cosines", **dict(zip(facts, values, strict=True))), *facts.values()),
    )
    ui.say("cosines", **facts)
