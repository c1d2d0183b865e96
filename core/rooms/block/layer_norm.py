"""LayerNorm and RMSNorm on a vector whose numbers have a distribution of the learner's choice."""

import numpy as np

from core import ui
from core.charts.marks import line_layer, vega_lite_mark_layer
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, seed, segmented_control, select, slider
from core.nn.norms import LayerNorm, RMSNorm
from core.rooms.block.compute import moments
from core.rooms.block.compute.moments import SOURCES, NormRecord

LABELS = module_labels(__name__)
KINDS = ("layer", "rms")
EPS = (1e-12, 1e-6, 1e-5, 1e-1)  # of BERT, of T5, of GPT-2, and far too large
CODE = (LayerNorm, RMSNorm, moments.compute_moments)


class Inputs(Base, prefix="ln_"):
    source: str = segmented_control(tuple(SOURCES), "exponential")
    kind: str = segmented_control(KINDS, "layer")
    width: int = segmented_control((16, 96, 768, 4096), 4096)
    seed: int = seed()
    gain: float = slider(-3.0, 3.0, 1.0, step=0.1)
    bias: float = slider(-3.0, 3.0, 0.0, step=0.1)
    eps: float = select(EPS, 1e-5)


def compute(inputs: Inputs) -> NormRecord:
    """Return a random vector before and after the norm."""
    vector = moments.sample_vector(inputs.source, inputs.width, inputs.seed)
    return moments.apply_norm(vector, inputs.kind, inputs.gain, inputs.bias, inputs.eps)


def draw(result: NormRecord, inputs: Inputs) -> None:
    """Draw histograms before and after, and the table of moments."""
    before, after = ui.two_columns("norm")
    with before:
        ui.show_markdown(LABELS["before"])
        _histogram(result.before, color=0)
    with after:
        ui.show_markdown(LABELS("after", norm=LABELS[f"kind.{inputs.kind}"]))
        _histogram(result.after, color=2)
    ui.add_template_values(rows=list(zip(*result.table().values(), strict=True)))


def _histogram(values: moments.Array, color: int) -> None:
    """Draw bars of counts, and a dashed line with the expected counts of a normal distribution."""
    bins = moments.histogram(values)
    low, high = bins.edges[:-1], bins.edges[1:]
    counts = {"low": low, "high": high, "count": bins.counts, "zero": np.zeros(len(low))}
    tip = [("low", LABELS["from"], ".3f"), ("high", LABELS["to"], ".3f"), ("count", "", "")]
    ends = {"x": "low", "x2": "high", "y": "zero", "y2": "count"}
    layers = [vega_lite_mark_layer("rect", counts, ends, {"color": color, "tip": tip})]
    if bins.normal is not None:
        normal = {"middle": (low + high) / 2, "count": bins.normal}
        layers.append(line_layer(normal, "middle", "count", color="ink", strokeDash=[5, 3], strokeWidth=1.5))
    alt = ui.section_text("alike" if bins.normal is None else "histogram")
    limits = (float(bins.edges[0]), float(bins.edges[-1]))
    ui.plot(layers, x=ui.Axis(LABELS["number_axis"], limits), y=ui.Axis(LABELS["count_axis"]), height=240, alt=alt)
