"""Where rounding hurts: by bits and by who shares a scale, and one part of the model at a time."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.charts.decades import DecadeCurve, decades
from core.charts.neighbor_bars import neighbor_bars
from core.exhibit import Inputs as Base
from core.exhibit import segmented
from core.inspect.reading.model_key import ModelKey
from core.rooms.fewer_bits.compute import judge, quantise
from core.rooms.fewer_bits.compute.judge import verdict
from core.rooms.fewer_bits.compute.quantise import SCALES
from core.rooms.fewer_bits.compute.rounding import PARTS, WHOLE
from core.rooms.fewer_bits.dial import parts_of

MODELS = {"stories": "stories", "stories-learned": "stories, small", "stories-alibi": "stories, ALiBi"}
NAMES = {"matrix": "one scale for the matrix", "row": "one for each row", "group": "one for 32 weights"}
BY_BITS = (2, 3, 4, 5, 6, 8)
BITS = {4: "4", 3: "3", 2: "2"}
CODE = (quantise.quantise, judge.verdict)


class Inputs(Base, prefix="where_"):
    """Which model, and in how many bits one of its parts is."""

    bits: int = segmented("Bits of the one part", BITS, 2)
    model: str = segmented("Model", MODELS, "stories")


@dataclass(frozen=True)
class Result:
    """A shipped model on held-out stories.

    Attributes:
        before: the loss of the original, nats per token.
        losses, divergences: of all parts rounded: who shares a scale -> a number for each of `BY_BITS`.
        rises: of the loss, with one part rounded alone, a scale for each row.
    """

    before: float
    losses: dict[str, tuple[float, ...]]
    divergences: dict[str, tuple[float, ...]]
    rises: dict[str, float]

    @property
    def worst(self) -> str:
        """The part whose rounding hurts most, by its short name."""
        return max(self.rises, key=lambda part: self.rises[part])

    @property
    def mildest(self) -> str:
        return min(self.rises, key=lambda part: self.rises[part])

    @property
    def names(self) -> dict[str, str]:
        return {part: PARTS[part] for part in self.rises}

    def loss(self, bits: int, scales: str) -> float:
        return self.losses[scales][BY_BITS.index(bits)]

    def table(self) -> dict[str, Any]:
        """One line for each number of bits and kind of scale."""
        found = [(bits, NAMES[s], self.loss(bits, s), self.divergences[s][i])
                 for s in SCALES for i, bits in enumerate(BY_BITS)]  # fmt: skip
        return dict(zip(("bits", "scale", "loss", "divergence"), map(list, zip(*found, strict=True)), strict=True))


def compute(inputs: Inputs) -> Result:
    """The loss with all weights rounded, and with one part alone."""
    key = ModelKey.at(inputs.model)
    by_bits = {s: [verdict(key, "", bits, s) for bits in BY_BITS] for s in SCALES}
    before = verdict(key, "", WHOLE, "row").loss
    return Result(
        before,
        {s: tuple(one.loss for one in found) for s, found in by_bits.items()},
        {s: tuple(one.divergence for one in found) for s, found in by_bits.items()},
        {part: verdict(key, "", inputs.bits, "row", (part,)).loss - before for part in parts_of(key)},
    )


def warm_up() -> None:
    """Measure the default model once, so that the first visitor need not wait two seconds."""
    compute(Inputs())


def draw(result: Result, inputs: Inputs) -> None:
    """Lines by bits, and a bar for each part."""
    left, right = ui.pair("where")
    with left:
        curves = [
            DecadeCurve(name, BY_BITS, result.divergences[scales], look=i)
            for i, (scales, name) in enumerate(NAMES.items())
        ]
        spec = decades(
            curves,
            title="All parts: how far the next tokens move",
            x_title="bits of a weight",
            y_title=ui.measured("divergence", "nats"),
            mode=ui.color_mode(),
            height=300,
        )
        ui.chart(spec, alt=ui.words("by-bits"))
    with right:
        parts = sorted(result.rises, key=lambda part: -result.rises[part])
        bars = neighbor_bars(
            [PARTS[part] for part in parts],
            [result.rises[part] for part in parts],
            [""] * len(parts),
            [False] * len(parts),
            title="rise of the loss",
            digits=3,
            mode=ui.color_mode(),
        )
        ui.chart(bars, alt=ui.words("by-part"))
    ui.say("worst")
    ui.say("sum")
    ui.say("scales")
