"""The damage of rounding, by bits and kind of scale, and for one part of the model at a time."""

from core import ui
from core.exhibit import Inputs as Base, Result, Table, segmented
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
    bits: int = segmented("Bits of the one part", BITS, 2)
    model: str = segmented("Model", MODELS, "stories")


class Harm(Result):
    """A shipped model on held-out stories."""

    before: float  # the loss of the original, nats per token
    # With all parts rounded: kind of scale -> a number for each of `BY_BITS`.
    losses: dict[str, tuple[float, ...]]
    divergences: dict[str, tuple[float, ...]]
    rises: dict[str, float]  # of the loss, with one part rounded alone, one scale per row; largest first
    worst: str  # the key in `PARTS` of the part whose rounding hurts most
    mildest: str  # the key of the part whose rounding hurts least
    names: dict[str, str]

    def loss(self, bits: int, scales: str) -> float:
        return self.losses[scales][BY_BITS.index(bits)]

    def table(self) -> Table:
        """Return one row per number of bits and kind of scale."""
        found = [(bits, NAMES[s], self.loss(bits, s), self.divergences[s][i])
                 for s in SCALES for i, bits in enumerate(BY_BITS)]  # fmt: skip
        return dict(zip(("bits", "scale", "loss", "divergence"), map(list, zip(*found, strict=True)), strict=True))


def compute(inputs: Inputs) -> Harm:
    """Compute the loss with all weights rounded, and with each part alone."""
    key = ModelKey.at(inputs.model)
    by_bits = {s: [verdict(key, "", bits, s) for bits in BY_BITS] for s in SCALES}
    before = verdict(key, "", WHOLE, "row").loss
    rises = {part: verdict(key, "", inputs.bits, "row", (part,)).loss - before for part in parts_of(key)}
    worst, *_, mildest = ranked = sorted(rises, key=lambda part: -rises[part])
    return Harm(
        before=before,
        losses={s: tuple(one.loss for one in some) for s, some in by_bits.items()},
        divergences={s: tuple(one.divergence for one in some) for s, some in by_bits.items()},
        rises={part: rises[part] for part in ranked},
        worst=worst,
        mildest=mildest,
        names={part: PARTS[part] for part in rises},
    )


def warm_up() -> None:
    """Evaluate the default model once, so that the first visitor doesn't wait two seconds for it."""
    compute(Inputs())


def draw(result: Harm, inputs: Inputs) -> None:
    """Draw a line for each kind of scale, by bits, and a bar for each part."""
    left, right = ui.pair("where")
    with left:
        ui.curves(
            {name: (BY_BITS, result.divergences[scales]) for scales, name in NAMES.items()},
            title="All parts: how far the next tokens move",
            x="bits of a weight",
            y=ui.Axis(ui.measured("divergence", "nats"), is_log=True),
            has_dots=True,
        )
    with right:
        rises = {PARTS[part]: rise for part, rise in result.rises.items()}
        ui.bars(rises, x="rise of the loss", printed=".3f")
