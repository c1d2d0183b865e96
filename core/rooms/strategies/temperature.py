"""What temperature can and cannot do: from greedy to uniform, and never a token less."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.cache import MAX_TRACES, memoize
from core.charts.curves import Curve
from core.generate import filters
from core.inspect.model_and_text import ModelAndText
from core.rooms.strategies.compute import sampling_sweeps
from core.rooms.strategies.place import in_script
from core.rooms.strategies.temperatures_chart import temperatures
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.place_in_text import next_logits
from core.ui.numbers import power_of_ten

if TYPE_CHECKING:
    from core.rooms.strategies.compute.sampling_sweeps import Sweep

GRID = tuple(float(t) for t in np.logspace(-2, 2, 81))
TOLD = (0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0)


@memoize(MAX_TRACES)
def swept(key: ModelKey, packed: str, temperatures: tuple[float, ...], p: float) -> "Sweep":
    """One place at all these temperatures."""
    return sampling_sweeps.sweep(next_logits(key, packed), temperatures, p)


@exhibit(
    title="What temperature can and cannot do",
    look_for="the line “left by the temperature”, the share of the tokens that can still be drawn: it stays at 1 until "
    "the probabilities are too small for the computer. Temperature moves probability, it doesn't cut.",
    try_this=[
        (
            "Follow the likeliest token's curve to the left.",
            "It goes to 1: the limit is greedy. But 0 itself isn't a temperature, since nothing can be divided by 0; "
            "programs that accept a 0 run greedy search instead.",
        ),
        (
            "Follow the entropy to the right.",
            "**Entropy** is how undecided the model is. It goes to its greatest value: in the limit all tokens are "
            "equally likely, and the model no longer has a say.",
        ),
        (
            "Move top-p to 0.5.",
            "The line “left by top-p” sinks: top-p really cuts. It comes after the temperature: the flatter the "
            "probabilities, the more tokens it has to keep.",
        ),
    ],
    code=(sampling_sweeps.sweep, filters.temperature),
    formula=r"p_T(w) = \frac{e^{z_w/T}}{\sum_v e^{z_v/T}} \;\xrightarrow{\;T \to 0\;}\; \text{greedy}, \qquad "
    r"p_T(w) \;\xrightarrow{\;T \to \infty\;}\; \frac{1}{V}",
)
def what_temperature_does(looked: ModelAndText, place: int) -> Shown:
    """Entropy, the likeliest token and the tokens left against the temperature."""
    p = controls.slider(
        "sweep_p", "Top-p", 0.1, 0.99, 0.9, step=0.01, help="It comes after the temperature, and cuts what that left."
    )
    packed = ",".join(map(str, looked.encoded.ids[:place]))
    n_vocabulary = len(models.vocabulary(looked.key))
    curve = swept(looked.key, packed, GRID, p)
    told = swept(looked.key, packed, TOLD, p)
    undecided = "entropy / ln V" if depth.at_least("numbers") else "entropy, of its greatest"
    spec = temperatures(
        [
            Curve(undecided, GRID, (curve.entropy / np.log(n_vocabulary)).tolist()),
            Curve("the likeliest token", GRID, curve.top.tolist()),
            Curve("left by the temperature", GRID, (curve.left / n_vocabulary).tolist()),
            Curve(f"left by top-p {p:g}", GRID, (curve.left_top_p / n_vocabulary).tolist()),
        ],
        mode=layout.color_mode(),
    )
    st.vega_lite_chart(
        spec,
        alt=f"From T = 0.01 to 100 the entropy goes from {curve.entropy[0]:.2f} to {curve.entropy[-1]:.2f} nats and "
        f"the likeliest token from {curve.top[0]:.2f} to {curve.top[-1]:.3f}.",
        key="sweep-chart",
    )
    if depth.at_least("numbers"):
        st.markdown(_table(told))
    tenth = TOLD.index(0.1)
    full = told.left[tenth] == n_vocabulary
    st.caption(
        f"At a temperature of 0.1, {told.left[tenth]:,} of {n_vocabulary:,} tokens can still be drawn: "
        f"{'not one is removed' if full else 'the others are too rare for a 64-bit number, not removed by a rule'}."
    )
    depth.note(
        f"The rarest of them has a probability of only {power_of_ten(told.smallest[tenth])}. Where a count falls below "
        f"{n_vocabulary:,}, probabilities have become too small for their number format and turned into 0: below about "
        "10⁻³²⁴ with 64 bits, 10⁻⁴⁵ with 32. The greatest entropy is ln V. Some call temperature a “soft top-k”, but "
        "top-k cuts and keeps the proportions of the rest, while temperature changes the proportions and cuts nothing."
    )
    return Shown(numbers=curve.table(), figure=spec, script=lambda: _script(looked, place, p))


def _script(looked: ModelAndText, place: int, p: float) -> str:
    return scripts.script(
        """
        import numpy as np
        import torch

        from core.data.csv_table import print_table
        from core.rooms.strategies.compute import sampling_sweeps
        from core.models.pretrained import load

        $logits

        # The same logits at 81 temperatures, from nearly greedy to nearly uniform; p is that of a top-p which follows.
        print_table(sampling_sweeps.sweep(logits, np.logspace(-2, 2, 81), p=$p).table())
        """,
        logits=in_script(looked, place),
        p=p,
    )


def _table(told: "Sweep") -> str:
    head = "| T | likeliest token | entropy (nats) | left, 64 bits | left, 32 bits |\n|--:|--:|--:|--:|--:|\n"
    return head + "\n".join(
        f"| {t:g} | {told.top[i]:.4f} | {told.entropy[i]:.3f} | {told.left[i]:,} | {told.left_32[i]:,} |"
        for i, t in enumerate(told.temperatures)
    )
