"""What a layer costs: multiply-adds and bytes by length and width, and the times that this machine really takes."""

from typing import Any

import streamlit as st

from core.charts.cost import growth, measured
from core.inspect.costs import layer_cost as costs
from core.inspect.costs.layer_cost import Fit, LayerCost, Timing
from core.ui import state
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.numbers import in_bytes, short
from core.ui.training import stopwatch

WIDTHS = (32, 64, 128, 256, 512, 768, 1024)
HEADS = (1, 2, 4, 8, 16)
PARTS = {"block": "A block", "attention": "Attention alone"}
COUNTS = {"work": "Multiply-adds", "bytes": "Bytes held"}
LONGEST = 8_192


@exhibit(
    title="What length costs",
    look_for="where the curves cross: work on single tokens (in multiply-adds, a multiplication and an addition "
    "each) grows with the length, work on pairs of tokens with its square. Attention's cost is often said to grow "
    "with the square, but on short texts the work on single tokens is larger by far.",
    try_this=[
        (
            "With width 64, move the length from 64 to 384, then to 4,096.",
            "At 64 tokens the pairs are 14% of the multiply-adds, at 384 (six times the width) exactly half, at "
            "4,096 91%.",
        ),
        (
            "Choose width 768, GPT-2's.",
            "The crossing moves to 4,608 tokens. GPT-2 reads at most 1,024, where 18% of the work is on pairs.",
        ),
        (
            "Press “Measure on this machine” and compare the two crossings.",
            "The measured one usually comes much earlier than the counted one. The count knows only the matrix "
            "products; the softmax and moving a number for each pair through memory take time without a single "
            "multiply-add.",
        ),
    ],
    code=(costs.layer_cost, costs.crossover, costs.time_layer, costs.fit),
)
def cost() -> Shown:
    """Controls, the counted curves, the measured ones."""
    depth.note(
        "“Attention is O(N²)”, as often written, is only half of it: with length N and width D it's O(N² D + N D²)."
    )
    part, d_model, n_head, n_token = _ask()
    d_ff = None if part == "block" else 0
    here = costs.layer_cost(n_token, d_model, n_head, d_ff)
    crossing = costs.crossover(d_model, d_ff)
    counts = controls.segmented("cost_count", "Count", list(COUNTS), "work", labels=COUNTS)
    _tell(counts, here, d_model, n_head, n_token)
    left, right = layout.pair("cost")
    with left:
        size = _bytes(here.pair_numbers)
        figure = _counted(counts, part, d_model, n_head, n_token, crossing)
        st.vega_lite_chart(
            figure,
            alt=f"Multiply-adds of {PARTS[part].lower()} by length; pairs overtake the rest at {crossing:,.0f} tokens."
            if counts == "work"
            else f"Bytes held by {PARTS[part].lower()} by length; at {n_token:,} tokens pairs take {size}.",
            key="cost-counted",
        )
    with right:
        timings = _measurement(part, d_model, n_head)
        fitted = costs.fit(timings) if len(timings) >= 3 else None
        if timings:
            st.vega_lite_chart(
                measured(
                    [one.n_token for one in timings],
                    [one.seconds for one in timings],
                    [] if fitted is None else _curve(fitted, timings),
                    mode=color_mode(),
                ),
                alt=f"Measured times of {len(timings)} lengths, up to {timings[-1].n_token} tokens.",
                key="cost-measured",
            )
            st.markdown(_told_by_clock(fitted, timings, crossing))
    return Shown(
        numbers=lambda: costs.cost_table(d_model, n_head, d_ff, timings),
        figure=figure,
        formula=_with_numbers(part, n_token, d_model, here),
        script=lambda: _script(d_model, n_head, d_ff, timings),
    )


def _script(d_model: int, n_head: int, d_ff: int | None, timings: list[Timing]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect.costs.layer_cost import Timing, cost_table

        # (length, seconds, passes) as measured in the app. `layer_cost.time_layer` measures them anew; every
        # machine has its own.
        measured = $measured
        timings = [Timing(*one) for one in measured]

        # Multiply-adds and bytes of one layer by the length of the text. d_ff: None is 4 d_model, 0 is attention alone.
        print_table(cost_table(d_model=$d_model, n_head=$n_head, d_ff=$d_ff, timings=timings))
        """,
        measured=[(one.n_token, one.seconds, one.n_repeat) for one in timings],
        d_model=d_model,
        n_head=n_head,
        d_ff=d_ff,
    )


def _ask() -> tuple[str, int, int, int]:
    left, middle, right = st.columns([5, 3, 2], gap="medium")
    with left:
        part = controls.segmented(
            "cost_part",
            "What is counted",
            list(PARTS),
            "block",
            labels=PARTS,
            help="A block is attention followed by the feed-forward part: two layers that see each token on its own.",
        )
    with middle:
        d_model = controls.select("cost_width", "Width", WIDTHS, 64)
    with right:
        n_head = controls.select("cost_heads", "Heads", HEADS, 4)
    n_token = int(controls.slider("cost_length", "Length (tokens)", 16, LONGEST, 512, step=16))
    return part, int(d_model), int(n_head), n_token


def _tell(counts: str, here: LayerCost, d_model: int, n_head: int, n_token: int) -> None:
    with st.container(horizontal=True):
        if counts == "work":
            st.metric("Multiply-adds per layer", short(here.total))
            st.metric("Of these on pairs of tokens", f"{here.quadratic / here.total:.0%}")
            return
        st.metric(
            "Attention weights",
            _bytes(n_head * n_token * n_token),
            help=f"One number of {costs.FLOAT_BYTES} bytes for each pair of tokens in each of the {n_head} heads.",
        )
        st.metric("Made for single tokens", _bytes(here.token_numbers), help=f"All vectors of width {d_model} or so.")


def _counted(counts: str, part: str, d_model: int, n_head: int, n_token: int, crossing: float) -> dict[str, Any]:
    ladder = [costs.layer_cost(n, d_model, n_head, None if part == "block" else 0) for n in costs.LENGTHS]
    if counts == "work":
        linear = _named("12 N D²" if part == "block" else "4 N D²", "each token")
        return growth(
            costs.LENGTHS,
            {
                linear: [one.linear for one in ladder],
                _named("2 N² D", "pairs of tokens"): [one.quadratic for one in ladder],
            },
            y_title="multiply-adds",
            at=n_token,
            crossing=crossing,
            crossing_label=f"they cross at {crossing:,.0f}",
            mode=color_mode(),
        )
    size = costs.FLOAT_BYTES
    return growth(
        costs.LENGTHS,
        {
            _named("2 H N²", "pairs of tokens"): [size * one.pair_numbers for one in ladder],
            "vectors of each token": [size * one.token_numbers for one in ladder],
            "weights of the layer": [size * one.weight_numbers for one in ladder],
        },
        y_title="bytes",
        at=n_token,
        crossing=None,
        mode=color_mode(),
    )


def _named(formula: str, meaning: str) -> str:
    """A curve's name: in the story what it means, else also its formula."""
    return f"{formula}: {meaning}" if depth.at_least("numbers") else meaning


def _measurement(part: str, d_model: int, n_head: int) -> list[Timing]:
    """What was measured in this session for these sizes; the button measures (anew)."""
    done: dict[tuple[str, int, int], list[Timing]] = state.slot("cost.measured", dict)
    sizes = (part, d_model, n_head)
    lengths = costs.lengths_to_measure(n_head)
    asked = st.button(
        "Measure on this machine",
        icon=":material/timer:",
        key="cost-measure",
        help=f"Times {PARTS[part].lower()} with {n_head} heads at lengths from {lengths[0]} to at most "
        f"{lengths[-1]:,} tokens, for at most {stopwatch.SECONDS:g} seconds. Longer texts would need more than a few "
        "hundred megabytes.",
    )
    if asked:
        found = stopwatch.time_layer(d_model, n_head, lengths, whole_block=part == "block")
        if found:
            done[sizes] = found
    elif sizes not in done:
        st.caption(f"Not measured yet for these sizes. It takes about {stopwatch.SECONDS:g} seconds on one core.")
    return done.get(sizes, [])


def _curve(fitted: Fit, timings: list[Timing]) -> list[tuple[float, float]]:
    first, last = timings[0].n_token, timings[-1].n_token
    places = [first * (last / first) ** (i / 60) for i in range(61)]
    return [(n, fitted.seconds(n)) for n in places]


def _told_by_clock(fitted: Fit | None, timings: list[Timing], crossing: float) -> str:
    repeats = f"Each point is the median of {timings[0].n_repeat} passes."
    if fitted is None:
        return f"Too few lengths for a curve: this machine was too slow or too busy. {repeats}"
    deeper = depth.at_least("numbers")
    text = (
        f"Fitted: **{fitted.fixed * 1e6:,.0f} µs + {fitted.per_token * 1e6:.3g} µs · N + "
        f"{fitted.per_pair * 1e9:.3g} ns · N²**; it misses the points by {fitted.error:.0%} on average. "
        if deeper
        else ""
    )
    if fitted.per_pair <= 0 or fitted.per_token <= 0:
        missing = "the square of the length" if fitted.per_pair <= 0 else "the length itself"
        return text + f"At these lengths no part that grows with {missing} can be told from the rest. {repeats}"
    beyond = (
        f", beyond the longest measured ({timings[-1].n_token:,})" if fitted.crossover > timings[-1].n_token else ""
    )
    return (
        text + f"By the clock, pairs overtake single tokens at about **{fitted.crossover:,.0f} tokens**{beyond}; by "
        f"the count at {crossing:,.0f}. {repeats}"
    )


def _with_numbers(part: str, n: int, d: int, here: LayerCost) -> str:
    factor = 12 if part == "block" else 4
    return (
        rf"\begin{{aligned}} {factor}\,N D^2 &= {factor} \cdot {n} \cdot {d}^2 = {_short_tex(here.linear)} \\[1ex]"
        rf"2\,N^2 D &= 2 \cdot {n}^2 \cdot {d} = {_short_tex(here.quadratic)} \\[1ex]"
        rf"\text{{equal at }} N &= {factor // 2}\,D = {factor // 2 * d} \end{{aligned}}"
    )


def _short_tex(value: float) -> str:
    return rf"\text{{{short(value)}}}"


def _bytes(numbers: int) -> str:
    return in_bytes(numbers * costs.FLOAT_BYTES)
