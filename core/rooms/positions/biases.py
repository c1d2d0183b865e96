"""Positions added to the scores: ALiBi's slopes and T5's buckets."""

import numpy as np
import streamlit as st

from core.cache import MAX_FIGURES, memoize
from core.charts.curves import Curve
from core.charts.lines import lines
from core.nn.positions import alibi_bias, alibi_slopes, relative_buckets
from core.rooms.positions.compute import biases
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.widgets import widgets

N_TOKEN = 24  # of the small matrix
MOST_HEADS = 16
FURTHEST = 300
SIDES = {"past": "The past (decoder)", "both": "Both sides (encoder)"}


@memoize(MAX_FIGURES)
def alibi_of(n_head: int, n_token: int) -> biases.Alibi:
    """Slopes, biases and what a head would read by them alone."""
    return biases.alibi(n_head, n_token)


@memoize(MAX_FIGURES)
def buckets_of(bidirectional: bool, n_bucket: int, max_distance: int) -> biases.IntArray:
    """The bucket of each offset from -300 to 300."""
    return biases.buckets_by_offset(FURTHEST, bidirectional, n_bucket, max_distance)


def warm_up() -> None:
    """Compute what the page shows at first."""
    alibi_of(6, N_TOKEN)
    buckets_of(False, 32, 128)


@exhibit(
    title="ALiBi: the further, the less",
    look_for="how steeply each line falls. A steep head hardly sees beyond its neighbor; a flat one reads far back. "
    "**ALiBi** learns nothing and adds nothing to the words: the score just falls with the distance.",
    try_this=[
        (
            "Set “Head” to 4 and look at the matrix, then to 3.",
            "With slope 1/2 a weight halves every 1.4 tokens, with 1/256 every 177 tokens: one head reads its "
            "neighbors, the other nearly all words alike.",
        ),
        (
            "Set 1 head.",
            "It gets the flattest slope of all, 1/256.",
        ),
        (
            "Set 8 heads, then 6.",
            "8 is a power of two: the slopes are 1/2, 1/4, … 1/256, each half of the one before. With 6, the slopes "
            "of 4 heads come first (1/4, 1/16, 1/64, 1/256), then every other one of 8 heads: 1/2 and 1/8. That's "
            "no longer a single series.",
            "numbers",
        ),
    ],
    code=(alibi_slopes, alibi_bias, biases.alibi),
    formula=r"\text{score} = \frac{q \cdot k}{\sqrt{d_k}} - \text{slope} \cdot |\text{distance}|",
)
def alibi_slopes_shown() -> Shown:
    """The bias of each head by distance, and what one head would read by its bias alone."""
    left, middle, right = st.columns(3, gap="medium")
    with left:
        n_head = int(controls.slider("alibi_heads", "Heads", 1, MOST_HEADS, 6, step=1))
    with middle:
        reach = int(controls.slider("alibi_reach", "Distances up to", 8, 256, 32, step=8))
    with right:
        head = int(controls.slider("alibi_head", "Head", 0, n_head - 1, 0, step=1))
    found = alibi_of(n_head, N_TOKEN)
    written = [biases.as_power(float(slope)) for slope in found.slopes]
    st.markdown(
        f"Slopes of the {n_head} heads: **{', '.join(written)}**." if n_head > 1 else f"Slope: **{written[0]}**."
    )
    distance = range(0, reach + 1, max(1, reach // 64))
    spec = lines(
        [Curve(f"{h}: {written[h]}", distance, [-float(found.slopes[h]) * d for d in distance]) for h in range(n_head)],
        x_title="distance (tokens)",
        y_title="added to the score",
        mode=layout.color_mode(),
        height=320 + 10 * n_head,  # the legend takes two heads a line
        legend_title="head: its slope",
    )
    chart, matrix = layout.pair("alibi")
    with chart:
        steepest, flattest = int(found.slopes.argmax()), int(found.slopes.argmin())
        st.vega_lite_chart(
            spec,
            key="alibi-lines",
            alt=f"Straight lines falling from 0, one for each head; head {steepest} is the steepest with slope "
            f"{written[steepest]}, head {flattest} the flattest with {written[flattest]}.",
        )
    with matrix:
        places = [str(t) for t in range(N_TOKEN)]
        widgets.matrix(
            found.weights[head],
            rows=places,
            columns=places,
            key="alibi-weights",
            mask=np.tril(np.ones((N_TOKEN, N_TOKEN), bool)),
            label=f"Head {head}, slope {written[head]}: its weights if all words were alike",
            height=330,
        )
    return Shown(
        numbers=found.table(),
        arrays={"slopes": found.slopes, "bias": found.bias, "weights": found.weights},
        figure=spec,
        formula=rf"\begin{{gathered}} \text{{head }} {head}: \text{{ slope}} = {float(found.slopes[head]):.6g} \\[1ex] "
        rf"\text{{a weight halves every }} \frac{{\ln 2}}{{\text{{slope}}}} = {found.half[head]:.1f} \text{{ tokens}} "
        r"\end{gathered}",
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.rooms.positions.compute import biases

            print_table(biases.alibi(n_head=$n_head, n_token=$n_token).table())
            """,
            n_head=n_head,
            n_token=N_TOKEN,
        ),
    )


@exhibit(
    title="T5: distances in buckets",
    look_for="the width of the steps. In the model **T5**, near distances have a bucket each and far ones share: "
    "the model learns one number for each head and bucket and adds it to the score.",
    try_this=[
        (
            "Point at the steps near 0, then far away.",
            "Distances 0 to 15 are counted one by one. Then the steps grow, as on a logarithmic scale, and from 113 "
            "on all distances share bucket 31. Two far words are just “far”.",
        ),
        (
            "Switch to “Both sides”.",
            "Half of the buckets now serve later words, so only distances up to 7 are exact. In a decoder all later "
            "words fall into bucket 0, but the mask hides them anyway.",
        ),
        (
            "Set 8 buckets.",
            "The staircase gets coarse: 8 numbers for each head would be all that this model knows about distance.",
        ),
    ],
    code=(relative_buckets, biases.buckets_by_offset),
    formula=r"\begin{gathered} d < E: \quad b(d) = d \\[1ex] d \ge E: \quad b(d) = \min(N-1,\; E + \lfloor s \rfloor) "
    r"\\[1ex] s = \frac{\ln (d/E)}{\ln (M/E)}\, (N-E) \end{gathered}",
)
def t5_buckets() -> Shown:
    """The bucket of each offset as a staircase."""
    side = controls.segmented("bucket_sides", "Which words are read", list(SIDES), "past", labels=SIDES)
    left, right = st.columns(2, gap="medium")
    with left:
        n_bucket = controls.select("bucket_count", "Buckets", [8, 16, 32, 64], 32)
    with right:
        far = int(controls.slider("bucket_far", "Everything is “far” from here on", 40, 256, 128, step=8))
    both = side == "both"
    numbers = buckets_of(both, n_bucket, far)
    offsets = np.arange(-FURTHEST, FURTHEST + 1)
    found = biases.runs(numbers, -FURTHEST)
    widest = max(found, key=lambda one: (one.number != 0, one.high - one.low))
    each = n_bucket // 2 if both else n_bucket
    st.markdown(
        f"{each} buckets for each side, the first {each // 2} of them for one distance each."
        if both
        else f"{each} buckets, the first {each // 2} of them for one distance each; all later words are in bucket 0."
    )
    drawn = np.abs(offsets) <= far + 32  # beyond M nothing happens
    drawn &= both | (offsets <= 32)  # and a decoder's later words are all in one bucket
    spec = lines(
        [Curve("bucket", offsets[drawn].tolist(), numbers[drawn].tolist())],
        x_title="key minus query (tokens)",
        y_title="bucket",
        mode=layout.color_mode(),
        height=320,
        steps=True,
        marked=0,
    )
    st.vega_lite_chart(
        spec,
        key="bucket-steps",
        alt=f"A staircase over the distances {offsets[drawn][0]} to {offsets[drawn][-1]}: steps of one token near "
        f"0, wider and wider further away; bucket {widest.number} holds {widest.low} to {widest.high}.",
    )
    return Shown(
        numbers=lambda: biases.bucket_table(found),
        arrays={"key minus query": offsets, "bucket": numbers},
        figure=spec,
        formula=_with_numbers(numbers, each, far),
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.rooms.positions.compute import biases

            # The bucket of every distance, and the distances that share one.
            numbers = biases.buckets_by_offset($furthest, $both, n_bucket=$count, max_distance=$far)
            print_table(biases.bucket_table(biases.runs(numbers, first=-$furthest)))
            """,
            furthest=FURTHEST,
            both=both,
            count=n_bucket,
            far=far,
        ),
    )


def _with_numbers(numbers: biases.IntArray, each: int, far: int) -> str:
    """The formula for a word 40 tokens back."""
    d, exact = 40, each // 2
    share = np.log(d / exact) / np.log(far / exact) * (each - exact)
    return (
        rf"\begin{{gathered}} N = {each} \qquad E = N/2 = {exact} \qquad M = {far} \\[1ex] b({d}) = \min\!\left("
        rf"{each - 1},\; {exact} + \left\lfloor {share:.3f} \right\rfloor\right) = {int(numbers[FURTHEST - d])} "
        r"\end{gathered}"
        if d >= exact
        else rf"\begin{{gathered}} N = {each} \qquad E = N/2 = {exact} \\[1ex] b({d}) = {int(numbers[FURTHEST - d])} "
        r"\end{gathered}"
    )
