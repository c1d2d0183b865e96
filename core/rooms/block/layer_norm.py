"""LayerNorm and RMSNorm on a vector whose numbers have a distribution of the learner's choice."""

import math

import streamlit as st

from core.cache import MAX_FIGURES, memoize
from core.nn.norms import LayerNorm, RMSNorm
from core.rooms.block.compute import moments
from core.rooms.block.compute.moments import SOURCES, NormRecord
from core.rooms.block.units_chart import histogram
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.numbers import signed

KINDS = {"layer": "LayerNorm", "rms": "RMSNorm"}
EPS = {1e-12: "10⁻¹² (BERT)", 1e-6: "10⁻⁶ (T5)", 1e-5: "10⁻⁵ (GPT-2)", 1e-1: "0.1 (far too large)"}


@memoize(MAX_FIGURES)
def normed(source: str, width: int, seed: int, kind: str, gain: float, bias: float, eps: float) -> NormRecord:
    """A drawn vector before and after a norm."""
    return moments.normalise(moments.draw(source, width, seed), kind, gain, bias, eps)


@exhibit(
    title="What a norm does, and what it does not",
    look_for="the two pictures: the numbers on the axis change, the shape doesn't. A lecture note says a norm makes "
    "the numbers “approximately normally distributed”; mean 0 and variance 1 don't do that.",
    try_this=[
        (
            "Keep the exponential numbers and compare skew and excess kurtosis before and after.",
            "They're the same (1.86 and 4.32 for these 4,096 numbers; a normal distribution has 0 and 0). LayerNorm "
            "shifts and stretches; the long tail stays.",
        ),
        (
            "Choose “constant” and set the bias to 2.",
            "The variance is 0, yet nothing breaks: a tiny number, eps, is added to it before dividing, and every "
            "number becomes the bias.",
        ),
        (
            "Set 16 numbers and compare the two lines of variance.",
            "LayerNorm divides by n: that variance becomes 1. Divided by n − 1 it's 1.067, so code that uses n − 1 is "
            "a little off.",
            "numbers",
        ),
    ],
    code=(LayerNorm, RMSNorm, moments.moments),
)
def shape_stays() -> Shown:
    """Histograms before and after, and the table of moments."""
    source = controls.segmented("ln_source", "Numbers drawn from", list(SOURCES), "exponential")
    left, middle, right = st.columns([2, 2, 1], gap="medium", vertical_alignment="bottom")
    with left:
        kind = controls.segmented("ln_kind", "Norm", list(KINDS), "layer", labels=KINDS)
    with middle:
        width = controls.segmented("ln_width", "Numbers in the vector", [16, 96, 768, 4096], 4096)
    with right:
        seed = controls.seed(name="ln_seed")
    one, two, three = st.columns(3, gap="medium", vertical_alignment="bottom")
    with one:
        gain = controls.slider("ln_gain", "Gain", -3.0, 3.0, 1.0, step=0.1)
    with two:
        bias = controls.slider("ln_bias", "Bias (LayerNorm only)", -3.0, 3.0, 0.0, step=0.1)
    with three:
        eps = controls.select("ln_eps", "Epsilon, added under the root", list(EPS), 1e-5, labels=EPS)
    record = normed(source, width, seed, kind, gain, bias, eps)
    before = record.moments[0]
    for side, values, title in zip(
        layout.pair("norm"), (record.before, record.after), ("Before", f"After {KINDS[kind]}"), strict=True
    ):
        with side:
            counted = moments.histogram(values)
            is_constant = title == "Before" and before.variance == 0
            st.markdown(f"**{title}**")
            st.vega_lite_chart(
                histogram(
                    counted.edges.tolist(),
                    counted.counts.tolist(),
                    None if (counted.normal != counted.normal).any() else counted.normal.tolist(),
                    title="number",
                    mode=color_mode(),
                    second=title != "Before",
                    height=240,
                ),
                key=f"norm-{title[:5].lower()}",
                alt=f"{title}: {'all numbers alike' if is_constant else 'a histogram'}; "
                "the dashed line is a normal distribution of the same mean and variance.",
            )
    st.caption("Dashed: a normal distribution of the same mean and variance.")
    table = record.table()
    lines = ["| | before | after |", "|:--|--:|--:|"]
    lines += [f"| {name} | {_told(a)} | {_told(b)} |" for name, a, b in zip(*table.values(), strict=True)]
    st.markdown("\n".join(lines))
    st.caption(
        "Skew: how lopsided the numbers are; excess kurtosis: how heavy their tails. A normal distribution has 0 for "
        "both."
    )
    return Shown(
        numbers=table,
        arrays={"before": record.before, "after": record.after},
        formula=_formula(record, kind, gain, bias, eps),
        script=lambda: _script(source, width, seed, kind, gain, bias, eps),
    )


def _script(source: str, width: int, seed: int, kind: str, gain: float, bias: float, eps: float) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.block.compute import moments

        # A vector of independent numbers, and what the norm makes of it. RMSNorm ("rms") has no bias.
        vector = moments.draw($source, width=$width, seed=$seed)
        record = moments.normalise(vector, $kind, gain=$gain, bias=$bias, eps=$eps)
        print_table(record.table())
        """,
        source=source,
        width=width,
        seed=seed,
        kind=kind,
        gain=gain,
        bias=bias,
        eps=eps,
    )


def _told(value: float) -> str:
    return "none (all numbers alike)" if value != value else signed(value, 3)


def _formula(record: NormRecord, kind: str, gain: float, bias: float, eps: float) -> str:
    """The first number of the vector on its way through the norm."""
    first, then, m = record.before[0], record.after[0], record.moments[0]
    power = rf"10^{{{round(math.log10(eps))}}}"
    if kind == "rms":
        return (
            r"y_i = g\,\frac{x_i}{\sqrt{\frac1n \sum_j x_j^2 + \epsilon}}: \qquad y_0 = "
            rf"{gain:g} \cdot \frac{{{first:.3f}}}{{\sqrt{{{m.root_mean_square**2:.3f} + {power}}}}} = {then:.3f}"
        )
    return (
        r"y_i = g\,\frac{x_i - \mu}{\sqrt{\sigma^2 + \epsilon}} + b: \qquad y_0 = "
        rf"{gain:g} \cdot \frac{{{first:.3f} - ({m.mean:.3f})}}{{\sqrt{{{m.variance:.3f} + {power}}}}} + ({bias:g}) "
        rf"= {then:.3f}"
    )
