"""The clock on a row of pixels: what a block takes on this machine, and what is only carried on from that."""

import streamlit as st

from core.charts.cost import measured
from core.inspect.costs import layer_cost as costs
from core.inspect.costs.layer_cost import Fit, Timing
from core.rooms.pixels.compute.picture_cost import patch_tokens, picture_cost, pixel_tokens
from core.rooms.pixels.experiments import pixels as task
from core.ui import state
from core.ui.frame import depth, layout
from core.ui.numbers import in_bytes, short
from core.ui.training import stopwatch

GOAL = 224  # the side that classifiers of photographs usually read
MEASURED = (8, 12, 16, 20, 24, 28, 32, 36, 40, 44)  # sides; 4 heads of a longer row need more memory than is allowed
FROM = 400  # tokens: the curve to be carried on goes through rows of this length and more
HERE = task.config()  # the block that is timed: as wide as this room's


def clock() -> list[Timing]:
    """The button, what was measured in this session, and how far that carries."""
    done: dict[str, list[Timing]] = state.slot("quadratic.measured", dict)
    asked = st.button(
        "Measure on this machine",
        icon=":material/timer:",
        key="quad-measure",
        help=f"Times one block as wide as this room's ImageGPT ({HERE.d_model}, {HERE.n_head} heads) on rows as long "
        f"as pictures of {MEASURED[0]} × {MEASURED[0]} to {MEASURED[-1]} × {MEASURED[-1]} pixels, for at most "
        f"{stopwatch.SECONDS:g} seconds.",
    )
    if asked:
        lengths = sorted({*(pixel_tokens(one) for one in MEASURED), patch_tokens(GOAL, 16)})
        if found := stopwatch.time_layer(HERE.d_model, HERE.n_head, lengths, whole_block=True):
            done["here"] = found
    timings = done.get("here", [])
    if not timings:
        st.caption(f"Nothing is measured yet. It takes about {stopwatch.SECONDS:g} seconds on one core.")
        return []
    fitted, used = carried(timings)
    far, first = pixel_tokens(GOAL), used[0].n_token
    places = [first * (far / first) ** (i / 80) for i in range(81)]
    chart, text = layout.pair("quad-clock")
    with chart:
        spec = measured(
            [one.n_token for one in timings],
            [one.seconds for one in timings],
            [(n, fitted.seconds(n)) for n in places],
            beyond=[(far, fitted.seconds(far), f"{GOAL} × {GOAL}")],
            mode=layout.color_mode(),
        )
        st.vega_lite_chart(
            spec, width="stretch", alt=f"Measured times of {len(timings)} lengths, and their curve.", key="quad-clock"
        )
    with text:
        st.markdown(told_by_clock(fitted, timings, used, with_formula=depth.at_least("numbers")))
    return timings


def carried(timings: list[Timing]) -> tuple[Fit, list[Timing]]:
    """The curve to carry on, and the measured times that it goes through: of the long rows, if there are enough.

    What takes time in short rows (starting each product, mostly) says nothing about long ones.
    """
    long = [one for one in timings if one.n_token >= FROM]
    used = long if len(long) >= 4 else timings
    return costs.fit(used), used


def told_by_clock(fitted: Fit, timings: list[Timing], used: list[Timing], *, with_formula: bool = True) -> str:
    """What was measured, and what is only carried on from it."""
    far, last = pixel_tokens(GOAL), timings[-1]
    curve = f"{fitted.fixed * 1e6:,.0f} µs + {fitted.per_token * 1e6:.3g} µs · N + {fitted.per_pair * 1e9:.3g} ns · N²"
    formula = f", {curve}," if with_formula else ""
    need = picture_cost(far, HERE.d_model, HERE.n_head).matrix_bytes
    text = (
        f"Measured, one block {HERE.d_model} wide with {HERE.n_head} heads: {_seconds(timings[0].seconds)} for "
        f"{timings[0].n_token:,} tokens, **{_seconds(last.seconds)}** for {last.n_token:,}; each point is the median "
        f"of {last.n_repeat} {'pass' if last.n_repeat == 1 else 'passes'}. The curve fitted from {used[0].n_token:,} "
        f"tokens on{formula} misses its points by {fitted.error:.0%} on average.\n\n"
    )
    if fitted.per_pair <= 0:
        return text + "No part that grows with the pairs can be told from the rest: nothing to carry on. Measure again."
    return text + (
        f"**Extrapolated, not measured:** {GOAL} × {GOAL} pixels would take **{_seconds(fitted.seconds(far))}** in "
        f"each block, {far / last.n_token:,.0f} times beyond the longest row measured, and only if there were "
        f"{in_bytes(need)} of memory just for the attention weights.{_patches(timings, fitted.seconds(far))}"
    )


def _patches(timings: list[Timing], pixels: float) -> str:
    """What the same picture takes in patches, where that was measured."""
    n_token = patch_tokens(GOAL, 16)
    seconds = {one.n_token: one.seconds for one in timings}.get(n_token)
    if seconds is None:
        return ""
    times = short(float(f"{pixels / seconds:.1g}"))
    return f" In patches of 16, {n_token} tokens, it takes {_seconds(seconds)}, measured: some {times} times less."


def _seconds(value: float) -> str:
    return f"{value:,.0f} s" if value >= 100 else f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"
