"""Why attention divides by the square root of the keys' width, and what happens when the root stands elsewhere."""

import math

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import MAX_FIGURES, memoize
from core.nn.attention import attention_scores, masked_softmax
from core.rooms.step_by_step.compute import score_scaling
from core.rooms.step_by_step.compute.score_scaling import N_KEY, N_QUERY, RootRecord, WidthRecord
from core.rooms.step_by_step.width_curves_chart import length_bars, weight_bars, width_curve
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.numbers import power_of_ten
from core.ui.widgets import widgets

WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512)
WRONG = {"outside": "Root outside", "none": "No root"}
WRONG_FORMULA = {
    "outside": r"\frac{\mathrm{softmax}(Q K^\top)}{\sqrt{d_k}}\,V",
    "none": r"\mathrm{softmax}(Q K^\top)\,V",
}


def warm_up() -> None:
    """Measure the default curve once."""
    for width in WIDTHS:
        measured(width, 0)


@memoize(MAX_FIGURES)
def measured(d_k: int, seed: int) -> WidthRecord:
    """What `core.rooms.step_by_step.compute.score_scaling` measures at one width."""
    return score_scaling.measure(d_k, seed)


@memoize(MAX_FIGURES)
def weights_of(d_k: int, seed: int, query: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """One query's weights, without and with the root."""
    return score_scaling.one_query(d_k, seed, query)


@memoize(MAX_FIGURES)
def gradients_of(d_k: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The length of the gradient at each query, without and with the root."""
    return score_scaling.query_gradients(d_k, seed)


@memoize(MAX_FIGURES)
def three_ways(d_k: int, seed: int) -> RootRecord:
    """The right formula and the two wrong ones on the same draws."""
    return score_scaling.root_inside_and_out(d_k, seed)


@exhibit(
    title="Why the square root",
    look_for="the dashed line: without the root the scores spread more and more as vectors get wider, and the "
    "softmax ends up putting nearly everything on one key.",
    try_this=[
        (
            "Move the width from 4 to 512 and watch the bars of one query.",
            "With the root the bars stay short. Without it, one bar swallows the others: the largest weight grows "
            "from 0.31 on average to 0.93.",
        ),
        (
            "At width 512, read how many queries put more than 99% on one key.",
            "Without the root more than half of them do, with it none. Such a softmax hardly reacts when a score "
            "moves a little.",
        ),
        (
            "At d_k = 512, look at the Jacobian, then at the gradients: the median, then the mean.",
            "The size of the softmax's Jacobian is 0.09 on average, with the root 0.18. But it's only one factor. "
            "Without the root the typical query gets less gradient (median 0.08 against 0.16), and a few get so "
            "much that the mean is larger (1.51 against 0.18): most learn less while some are thrown about. At 16 "
            "all queries get more without the root; narrow vectors need no cure.",
            "numbers",
        ),
    ],
    code=(
        score_scaling.measure,
        score_scaling.jacobian_size,
        score_scaling.query_gradients,
        attention_scores,
        masked_softmax,
    ),
    formula=r"\begin{gathered} \mathrm{Var}(q \cdot k) = \sum_{i=1}^{d_k} \mathrm{Var}(q_i k_i) = d_k \\[1ex]"
    r"\mathrm{Var}\!\left(\frac{q \cdot k}{\sqrt{d_k}}\right) = 1 \end{gathered}",
)
def why_the_root() -> Shown:
    """Curves over the width, and the weights of one query at the chosen one."""
    left, middle, right = st.columns([3, 2, 1], gap="medium", vertical_alignment="bottom")
    with left:
        d_k = int(controls.slider("scale_width", "Width of a head", 4, 512, 64, step=4))
    with middle:
        query = int(controls.slider("scale_query", "Query in the last picture", 0, N_QUERY - 1, 0, step=1))
    with right:
        seed = controls.seed(name="scale_seed")
    curve = [measured(width, seed) for width in WIDTHS]
    here = measured(d_k, seed)
    bars = weights_of(d_k, seed, query)
    st.markdown(_in_words(here))
    deeper = depth.at_least("numbers")
    upper, lower = layout.pair("scale-upper"), layout.pair("scale-lower") if deeper else None
    with upper[0]:
        _curve(curve, here, "variance", "variance of the scores", "how far they spread", log=True)
    if lower is not None:
        with upper[1]:
            even = (math.log(N_KEY), f"all keys alike: {math.log(N_KEY):.2f}")
            _curve(curve, here, "entropy", "entropy of the weights", "how evenly they are shared, in nats", limit=even)
        with lower[0]:
            _curve(curve, here, "jacobian", "Jacobian of the softmax", "how much the weights react")
    with upper[1] if lower is None else lower[1]:
        st.markdown(f"**Weights of query {query} on the {N_KEY} keys**")
        st.vega_lite_chart(
            weight_bars(bars[0].tolist(), bars[1].tolist(), mode=color_mode()),
            key="scale-bars",
            alt=f"The largest weight is {bars[0].max():.2f} without the root and {bars[1].max():.2f} with it.",
        )
    lengths = gradients_of(d_k, seed)
    median_side, lengths_side = layout.pair("scale-gradients")
    with median_side:
        _curve(curve, here, "gradient_median", "median gradient", "the push that the middle query gets")
    with lengths_side:
        st.markdown(f"**Gradients at all {N_QUERY} queries**, width {d_k} (line: mean, dashed: median)")
        st.vega_lite_chart(
            length_bars(lengths[0].tolist(), lengths[1].tolist(), mode=color_mode()),
            key="scale-lengths",
            alt=_of_gradients(here).replace("*", ""),
        )
    st.markdown(_of_gradients(here))
    return Shown(
        numbers=score_scaling.width_table([*curve, here]),
        arrays={
            "weights_without": bars[0],
            "weights_with": bars[1],
            "gradients_without": lengths[0],
            "gradients_with": lengths[1],
        },
        formula=rf"d_k = {d_k}:\quad \sqrt{{{d_k}}} = {math.sqrt(d_k):.2f},\quad "
        rf"\frac{{{here.variance[0]:.2f}}}{{{d_k}}} = {here.variance[1]:.2f}",
        script=lambda: _width_script(d_k, seed),
    )


def _in_words(here: WidthRecord) -> str:
    return (
        f"{N_QUERY} queries and {N_KEY} keys of **{here.d_k}** random numbers each, mean 0 and variance 1. Their "
        f"scores have variance **{here.variance[0]:.1f}** without the root and **{here.variance[1]:.2f}** with it. A "
        f"query's largest weight averages **{here.top[0]:.2f}** without and **{here.top[1]:.2f}** with it; "
        f"**{here.saturated[0]:.0%}** of the queries put more than 99% on one key without the root, "
        f"**{here.saturated[1]:.0%}** with it."
    )


def _of_gradients(here: WidthRecord) -> str:
    return (
        "In training, **gradients** say which way each number should change. Here the same gradients, of length 1 "
        "on average, are sent back from all outputs. What arrives at a query has a **mean of "
        f"{here.gradient_mean[0]:.2f}** without the root and {here.gradient_mean[1]:.2f} with it, and a **median of "
        f"{here.gradient_median[0]:.2f}** without and {here.gradient_median[1]:.2f} with it."
    )


def _curve(
    curve: list[WidthRecord],
    here: WidthRecord,
    name: str,
    title: str,
    meaning: str,
    *,
    log: bool = False,
    limit: tuple[float, str] | None = None,
) -> None:
    pairs = [getattr(one, name) for one in curve]
    at = getattr(here, name)
    st.markdown(f"**{title[0].upper()}{title[1:]}**: {meaning}")
    st.vega_lite_chart(
        width_curve(
            [one.d_k for one in curve],
            [pair[0] for pair in pairs],
            [pair[1] for pair in pairs],
            at=(here.d_k, *at),
            title=title,
            log=log,
            limit=limit,
            mode=color_mode(),
        ),
        key=f"scale-{name}",
        alt=f"{title} by width; at {here.d_k} it is {at[0]:.2f} without the root and {at[1]:.2f} with it.",
    )


def _width_script(d_k: int, seed: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.step_by_step.compute import score_scaling

        # Drawn queries and keys, wider and wider; each softmax without the root and with it.
        widths = $widths
        records = [score_scaling.measure(d_k, seed=$seed) for d_k in widths]
        print_table(score_scaling.width_table(records))
        """,
        widths=sorted({*WIDTHS, d_k}),
        seed=seed,
    )


@exhibit(
    title="Where the root belongs",
    look_for="the sums of the rows: weights are shares, so each row should sum to 1. One lecture note has the root "
    "outside the softmax, another has none.",
    try_this=[
        (
            "With the root outside, read the row sum at width 64.",
            "Each row sums to 1 divided by 8, the root of 64: 0.125, so every output is divided by eight too. And "
            "the softmax got scores without the root, so it's too sharp as well.",
        ),
        (
            "Switch to “No root”.",
            "The rows sum to 1 again, but the weights sit on few keys. The output is off by more than its own length.",
        ),
        (
            "Move the width down to 4.",
            "Both mistakes shrink; at width 1 both would be gone. So a test on a toy shows little.",
        ),
    ],
    code=(score_scaling.root_inside_and_out, attention_scores),
    formula=r"\text{right:}\quad \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V",
)
def where_the_root_stands() -> Shown:
    """The weights of the right formula beside those of a wrong one, and how far each output is off."""
    left, middle, right = st.columns([2, 3, 1], gap="medium", vertical_alignment="bottom")
    with left:
        d_k = int(controls.slider("root_width", "Width of a head", 4, 512, 64, step=4))
    with middle:
        wrong = controls.segmented("root_wrong", "As a lecture note has it", list(WRONG), "outside", labels=WRONG)
    with right:
        seed = controls.seed(name="root_seed")
    record = three_ways(d_k, seed)
    place = 1 if wrong == "outside" else 2
    to = f" to {power_of_ten(record.error[0])}" if depth.at_least("numbers") else ""
    st.markdown(
        f"Right formula: rows sum to **{record.row_sum[0]:.3f}**, and the output agrees with PyTorch's own attention"
        f"{to}. {WRONG[wrong]}: rows sum to **{record.row_sum[place]:.3f}**, and the output is off by "
        f"**{record.error[place]:.0%}** of its length."
    )
    names = [f"t{t}" for t in range(record.weights.shape[1])]
    sides = layout.pair("root")
    for side, which, label in ((sides[0], 0, "Right: root inside"), (sides[1], place, WRONG[wrong])):
        with side:
            widgets.matrix(
                record.weights[which],
                rows=names,
                columns=names,
                key=f"root.{which}",
                height=340,
                label=label,
                takeaway=f"{label}: rows sum to {record.row_sum[which]:.3f}, the largest weight is "
                f"{record.weights[which].max():.2f}.",
            )
    return Shown(
        numbers=record.table(),
        arrays={"weights": record.weights, "outputs": record.outputs, "reference": record.reference},
        formula=rf"\begin{{gathered}} \text{{shown beside it:}}\quad {WRONG_FORMULA[wrong]} \\[1ex]"
        rf"\frac{{1}}{{\sqrt{{{d_k}}}}} = {1 / math.sqrt(d_k):.4f} \end{{gathered}}",
        script=lambda: _root_script(d_k, seed),
    )


def _root_script(d_k: int, seed: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.step_by_step.compute import score_scaling

        # The same drawn queries, keys and values through the right formula and through two wrong ones.
        record = score_scaling.root_inside_and_out(d_k=$d_k, seed=$seed)
        print_table(record.table())
        """,
        d_k=d_k,
        seed=seed,
    )
