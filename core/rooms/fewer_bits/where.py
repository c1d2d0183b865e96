"""The damage of rounding, by bits and kind of scale, and for one part of the model at a time."""

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, segmented_control
from core.inspect.model_inputs.model_key import ModelKey
from core.rooms.fewer_bits.compute import evaluation, quantize
from core.rooms.fewer_bits.compute.evaluation import evaluate_rounded
from core.rooms.fewer_bits.compute.quantize import SCALES
from core.rooms.fewer_bits.compute.rounding import FLOAT32_BITS, PART_NAMES
from core.rooms.fewer_bits.dial import rounded_parts

LABELS = module_labels(__name__)

MODELS = ("stories", "stories-learned", "stories-alibi")
SCALE_NAMES = {"matrix": LABELS["scale.matrix"], "row": LABELS["scale.row"], "group": LABELS["scale.group"]}
BIT_COUNTS = (2, 3, 4, 5, 6, 8)
PART_BITS = {4: "4", 3: "3", 2: "2"}
CODE = (quantize.quantize, evaluation.evaluate_rounded)


class Inputs(Base, prefix="where_"):
    bits: int = segmented_control(PART_BITS, 2)
    model: str = segmented_control(MODELS, "stories")


class RoundingDamage(Result):
    """A shipped model on held-out stories."""

    before: float  # the loss of the original, nats per token
    # With all parts rounded: kind of scale -> a number for each of `BIT_COUNTS`.
    losses: dict[str, tuple[float, ...]]
    divergences: dict[str, tuple[float, ...]]
    rises: dict[str, float]  # of the loss, with one part rounded alone, one scale per row; largest first
    worst: str  # the key in `PART_NAMES` of the part whose rounding hurts most
    mildest: str  # the key of the part whose rounding hurts least
    names: dict[str, str]

    def loss(self, bits: int, scales: str) -> float:
        return self.losses[scales][BIT_COUNTS.index(bits)]

    def table(self) -> Table:
        """Return one row per number of bits and kind of scale."""
        found = [(bits, SCALE_NAMES[s], self.loss(bits, s), self.divergences[s][i])
                 for s in SCALES for i, bits in enumerate(BIT_COUNTS)]  # fmt: skip
        names = (LABELS["bits_column"], LABELS["scale_column"], LABELS["loss"], LABELS["divergence"])
        return dict(zip(names, map(list, zip(*found, strict=True)), strict=True))


def compute(inputs: Inputs) -> RoundingDamage:
    """Compute the loss with all weights rounded, and with each part alone."""
    key = ModelKey.at(inputs.model)
    by_bits = {s: [evaluate_rounded(key, "", bits, s) for bits in BIT_COUNTS] for s in SCALES}
    before = evaluate_rounded(key, "", FLOAT32_BITS, "row").loss
    rises = {part: evaluate_rounded(key, "", inputs.bits, "row", (part,)).loss - before for part in rounded_parts(key)}
    worst, *_, mildest = ranked = sorted(rises, key=lambda part: -rises[part])
    return RoundingDamage(
        before=before,
        losses={s: tuple(one.loss for one in some) for s, some in by_bits.items()},
        divergences={s: tuple(one.divergence for one in some) for s, some in by_bits.items()},
        rises={part: rises[part] for part in ranked},
        worst=worst,
        mildest=mildest,
        names={part: PART_NAMES[part] for part in rises},
    )


def warm_up() -> None:
    """Evaluate the default model once, so that the first visitor doesn't wait two seconds for it."""
    compute(Inputs())


def draw(result: RoundingDamage, inputs: Inputs) -> None:
    """Draw a line for each kind of scale, by bits, and a bar for each part."""
    left, right = ui.two_columns("where")
    with left:
        ui.curves(
            {name: (BIT_COUNTS, result.divergences[scales]) for scales, name in SCALE_NAMES.items()},
            title=LABELS["all_parts"],
            x=LABELS["bits_of_weight"],
            y=ui.Axis(ui.quantity_label(LABELS["divergence"], LABELS["nats"]), is_log=True),
            has_dots=True,
        )
    with right:
        rises = {PART_NAMES[part]: rise for part, rise in result.rises.items()}
        ui.bars(rises, x=LABELS["loss_rise"], printed=".3f")
