"""LayerNorm and RMSNorm on a vector whose numbers have a distribution of the learner's choice."""

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import seed, segmented, select, slider
from core.nn.norms import LayerNorm, RMSNorm
from core.rooms.block.compute import moments
from core.rooms.block.compute.moments import SOURCES, NormRecord
from core.rooms.block.units_chart import histogram

KINDS = {"layer": "LayerNorm", "rms": "RMSNorm"}
EPS = {1e-12: "10⁻¹² (BERT)", 1e-6: "10⁻⁶ (T5)", 1e-5: "10⁻⁵ (GPT-2)", 1e-1: "0.1 (far too large)"}
CODE = (LayerNorm, RMSNorm, moments.moments)


class Inputs(Base, prefix="ln_"):
    """The numbers and the norm."""

    source: str = segmented("Numbers drawn from", list(SOURCES), "exponential")
    kind: str = segmented("Norm", KINDS, "layer")
    width: int = segmented("Numbers in the vector", (16, 96, 768, 4096), 4096)
    seed: int = seed()
    gain: float = slider("Gain", -3.0, 3.0, 1.0, step=0.1)
    bias: float = slider("Bias (LayerNorm only)", -3.0, 3.0, 0.0, step=0.1)
    eps: float = select("Epsilon, added under the root", EPS, 1e-5)


def compute(inputs: Inputs) -> NormRecord:
    """A drawn vector before and after the norm."""
    vector = moments.draw(inputs.source, inputs.width, inputs.seed)
    return moments.normalise(vector, inputs.kind, inputs.gain, inputs.bias, inputs.eps)


def draw(result: NormRecord, inputs: Inputs) -> None:
    """Histograms before and after, and the table of moments."""
    for side, values, title in zip(
        ui.pair("norm"), (result.before, result.after), ("Before", f"After {KINDS[inputs.kind]}"), strict=True
    ):
        is_before = title == "Before"
        is_constant = is_before and result.moments[0].variance == 0
        spec = histogram(
            moments.histogram(values),
            title="number",
            with_normal=True,
            mode=ui.color_mode(),
            second=not is_before,
            height=240,
        )
        with side:
            ui.write(f"**{title}**")
            ui.chart(
                spec,
                alt=f"{title}: {'all numbers alike' if is_constant else 'a histogram'}; "
                "the dashed line is a normal distribution of the same mean and variance.",
            )
    ui.say("same")
    ui.say("dashed")
    ui.say("moments", rows=list(zip(*result.table().values(), strict=True)))
    ui.say("skew")
