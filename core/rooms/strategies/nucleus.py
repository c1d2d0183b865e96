"""Two things about top-p that programs get wrong: the token that crosses, and the order of the knobs."""

import numpy as np
import streamlit as st

from core.charts.before_after import before_after
from core.generate import filters
from core.inspect.model_and_text import ModelAndText
from core.rooms.strategies.compute import sampling_sweeps
from core.rooms.strategies.place import in_script
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.place_in_text import next_logits
from core.ui.text import visible

FIVE = (0.5, 0.25, 0.125, 0.0625, 0.0625)
LETTERS = "ABCDE"
N_SHOWN = 10


@exhibit(
    title="The token that crosses stays",
    look_for="the row where the sum reaches p. By definition that token stays; a rule that drops it keeps less than p.",
    try_this=[
        (
            "Leave p at 0.75.",
            "A and B add up to exactly 0.75: the smallest set with at least that sum has 2 tokens, not 1 and not 3. "
            "You'll find all three answers in programs.",
        ),
        (
            "Move p to 0.76.",
            "Now 0.75 isn't enough, and C is needed: 3 tokens by the definition. The rule that keeps one more at an "
            "exact hit agrees, as there's no exact hit now. Dropping the one that crosses still keeps 2.",
        ),
        ("Move p down to 0.3.", "Dropping the token that crosses leaves nothing at all to draw from."),
    ],
    code=(filters.top_p, sampling_sweeps.crossing),
    formula=r"\text{keep } w_{(i)} \iff \sum_{j<i} p(w_{(j)}) < p",
)
def who_crosses() -> Shown:
    """Five tokens of round probabilities under three rules."""
    p = controls.slider("five_p", "Top-p: the sum p to reach", 0.01, 1.0, 0.75, step=0.01)
    found = sampling_sweeps.crossing(FIVE, p)
    rules = found.rules
    rows = [
        f"| {LETTERS[i]} | {FIVE[i]:g} | {found.cumulative[i]:g} | "
        + " | ".join("**kept**" if kept[i] else "–" for kept in rules.values())
        + " |"
        for i in range(len(FIVE))
    ]
    counts = {name: int(kept.sum()) for name, kept in rules.items()}
    mass = {name: float(found.probabilities[kept].sum()) for name, kept in rules.items()}
    st.markdown(
        "| token | p | sum | right | drops it | one more |\n"
        "|:--|--:|--:|:-:|:-:|:-:|\n"
        + "\n".join(rows)
        + "\n| **tokens kept** | | | "
        + " | ".join(f"**{n}**" for n in counts.values())
        + " |\n| **their sum** | | | "
        + " | ".join(f"{one:g}" for one in mass.values())
        + " |"
    )
    st.caption(
        f"“Right” is the definition: the fewest tokens, likeliest first, that add up to at least p = {p:g}. “Drops it” "
        "keeps each token whose sum is below p, so the one that crosses is lost. “One more” keeps each token before "
        "which the sum is at most p."
    )
    return Shown(
        numbers=found.table(LETTERS),
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.rooms.strategies.compute import sampling_sweeps

            # Five tokens, the likeliest first, and what each of three rules keeps of them.
            print_table(sampling_sweeps.crossing($five, p=$p).table($letters))
            """,
            five=FIVE,
            p=p,
            letters=LETTERS,
        ),
    )


@exhibit(
    title="The order of the knobs",
    look_for="how many tokens are left in each order. Whichever comes second works on what the first one left.",
    try_this=[
        (
            "Move the temperature to 3, then to 0.5.",
            "Above 1, a temperature that comes first flattens, and top-p has to keep more; below 1 it keeps fewer or "
            "as many. With top-p first, what is kept doesn't depend on the temperature.",
        ),
        ("Set the temperature to 1.", "The difference is gone: a temperature of 1 changes nothing."),
    ],
    code=(sampling_sweeps.both_orders, filters.temperature, filters.top_p),
)
def order_matters(looked: ModelAndText, place: int) -> Shown:
    """The same temperature and top-p in both orders, at one place."""
    left, right = st.columns(2, gap="medium")
    with left:
        t = controls.slider("order_t", "Temperature", 0.1, 5.0, 2.0, step=0.1)
    with right:
        p = controls.slider("order_p", "Top-p", 0.1, 1.0, 0.9, step=0.01)
    logits = next_logits(looked.key, ",".join(map(str, looked.encoded.ids[:place])))
    vocabulary = models.vocabulary(looked.key)
    found = sampling_sweeps.both_orders(logits, t, p)
    one, other = found.temperature_first, found.top_p_first
    order = np.argsort(-logits, kind="stable")
    shown = order[:N_SHOWN]
    spec = before_after(
        [visible(vocabulary[i]) for i in shown],
        other[shown].tolist(),
        one[shown].tolist(),
        mode=layout.color_mode(),
        names=("top-p first", "temperature first"),
    )
    st.vega_lite_chart(spec, alt=f"The {len(shown)} likeliest tokens in both orders of the knobs.", key="order-chart")
    n_one, n_other = int((one > 0).sum()), int((other > 0).sum())
    apart = np.abs(one - other).sum() / 2
    st.markdown(
        f"Temperature {t:g}, then top-p {p:g}: **{n_one:,}** of {len(vocabulary):,} tokens are left. Top-p first: "
        f"**{n_other:,}**. "
        f"{'The two are the same.' if apart < 1e-9 else f'They differ by {apart:.3f} in probability.'} Here, as in "
        "most programs, temperature goes first. A setting you read somewhere means something only together with its "
        "order."
    )
    return Shown(
        numbers=lambda: found.table(logits, vocabulary),
        figure=spec,
        script=lambda: _script(looked, place, t, p),
    )


def _script(looked: ModelAndText, place: int, t: float, p: float) -> str:
    return scripts.script(
        """
        import torch

        from core.data.csv_table import print_table
        from core.rooms.strategies.compute import sampling_sweeps
        from core.models.pretrained import load

        $logits

        # Temperature and then top-p, and the other way round.
        orders = sampling_sweeps.both_orders(logits, t=$t, p=$p)
        print_table(orders.table(logits, found.vocabulary))
        """,
        logits=in_script(looked, place),
        t=t,
        p=p,
    )
