"""A thousand real draws against the probabilities that they come from."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.cache import MAX_FIGURES, memoize
from core.generate import decode
from core.inspect.model_and_text import ModelAndText
from core.rooms.strategies import draws_chart as chart
from core.rooms.strategies import spelling
from core.rooms.strategies.compute import draws
from core.rooms.strategies.compute.columns import Strategy
from core.rooms.strategies.place import before, in_script
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.place_in_text import next_logits
from core.ui.text import plural, visible

if TYPE_CHECKING:
    from core.rooms.strategies.compute.draws import Drawn

N_SHOWN = 10
MOST = 4  # more bars cannot be told apart
MOST_CELLS = 60_000_000  # draws x vocabulary: half a second of cumulative sums
TEMPERATURE = "temperature"
# What can be chosen -> how it is spelled; the temperature has its own slider.
WAYS = {
    "softmax": "softmax",
    TEMPERATURE: "t{t:g}",
    "top-k 5": "k5",
    "top-p 0.9": "p0.9",
    "min-p 0.1": "m0.1",
    "typical 0.5": "y0.5",
    "greedy": "greedy",
}


@memoize(MAX_FIGURES)
def drawn(key: ModelKey, packed: str, spelled: str, n: int, seed: int) -> "Drawn":
    """n draws of what follows these tokens."""
    strategy = spelling.parse_column(spelled).strategy
    return draws.draw_many(draws.drawn_from(next_logits(key, packed), strategy, models.unpack(packed)), n, seed)


@exhibit(
    title="A thousand draws against the softmax",
    look_for="whether the dots sit at the ends of their bars, the true probabilities. The lines say how far off chance "
    "may put a dot: 95 in 100 lines should reach the end of their bar.",
    try_this=[
        (
            "Choose 100 draws, then 10,000.",
            "The lines shrink to a tenth of their length: that's what 100 times as many draws buy you.",
        ),
        (
            "Choose only “temperature” and “greedy”, and pull the temperature down to 0.05.",
            "The two become one: as the temperature goes to 0, drawing turns into taking the likeliest token.",
        ),
        (
            "Change the seed a few times.",
            "The lines move with the dots. About one line in 20 misses the end of its bar: that's what 95% means.",
        ),
    ],
    code=(draws.drawn_from, draws.draw_many, decode.inverse_cdf, draws.wilson, draws.chi_square),
    formula=r"\chi^2 = \sum_{\text{cells}} \frac{(\text{drawn} - n\,p)^2}{n\,p}",
)
def thousand_draws(looked: ModelAndText, place: int) -> Shown:
    """Bars of what should come, dots of what came, and whether the two agree."""
    ways = list(controls.several("draws_ways", "Strategies", list(WAYS), ("softmax", TEMPERATURE, "top-p 0.9")))
    left, middle, right = st.columns([10, 8, 5], gap="medium", vertical_alignment="bottom")
    vocabulary = models.vocabulary(looked.key)
    counts = [count for count in _NUMBERS if count * len(vocabulary) <= MOST_CELLS] or [100]
    with left:
        n = controls.segmented("draws_n", "Draws", counts, min(1_000, counts[-1]), labels=_NUMBERS)
    with middle:
        t = controls.slider("draws_t", "Temperature of “temperature”", 0.05, 5.0, 2.0, step=0.05)
    with right:
        seed = controls.seed(name="draws_seed")
    if not ways:
        st.info("Choose at least one strategy to see its draws.")
        return Shown()
    if len(ways) > MOST:
        st.caption(f"{len(ways)} strategies are too many for one picture; the first {MOST} are shown.")
    packed = ",".join(map(str, looked.encoded.ids[:place]))
    spelled = {_name(way, t): WAYS[way].format(t=t) for way in ways[:MOST]}
    found = {name: drawn(looked.key, packed, one, n, seed) for name, one in spelled.items()}
    plain = next_logits(looked.key, packed)
    shown = np.argsort(-plain, kind="stable")[:N_SHOWN]
    spec = chart.draws(
        [visible(vocabulary[i]) for i in shown],
        {
            name: [(one.probabilities[i], one.counts[i] / n, one.low[i], one.high[i]) for i in shown]
            for name, one in found.items()
        },
        mode=layout.color_mode(),
    )
    st.vega_lite_chart(
        spec,
        alt=f"{n:,} draws of {', '.join(found)} after “{before(looked, place)}”: probability and share drawn of "
        f"{len(shown)} tokens.",
        key="draws-chart",
    )
    st.markdown("\n".join(f"- {_verdict(name, one, n)}" for name, one in found.items()))
    depth.note(_what_p_says([one.p_value for one in found.values() if one.cells > 1]))
    return Shown(
        numbers=lambda: draws.table(found, vocabulary),
        arrays={f"{i + 1}_{name}": getattr(one, name) for i, one in enumerate(found.values()) for name in _ARRAYS},
        figure=spec,
        script=lambda: _script(
            looked, place, {name: spelling.parse_column(one).strategy for name, one in spelled.items()}, n, seed
        ),
    )


_NUMBERS = {100: "100", 1_000: "1,000", 10_000: "10,000"}
_ARRAYS = ("probabilities", "counts", "low", "high")


def _name(way: str, t: float) -> str:
    return f"temperature {t:g}" if way == TEMPERATURE else way


def _verdict(name: str, one: "Drawn", n: int) -> str:
    can = one.probabilities > 0
    if one.cells < 2:
        likeliest = one.counts.max() / n
        return (
            f"**{name}**: one token has all the probability, except for what is too rare to test, and "
            f"{likeliest:.1%} of the draws."
        )
    inside = int(one.inside[can].sum())
    p_value = f"= {one.p_value:.3f}" if one.p_value >= 0.001 else "below 0.001"
    told = (
        f"**{name}**: {int((one.counts > 0).sum()):,} of {int(can.sum()):,} possible tokens were drawn; {inside:,} "
        f"of {int(can.sum()):,} lines reach the true probability."
    )
    if not depth.at_least("numbers"):
        return told
    return (
        f"{told} χ² = {one.chi_square:.2f} with {plural(one.cells - 1, 'degree', 'degrees')} of freedom, p {p_value}."
    )


def _what_p_says(p_values: Sequence[float]) -> str:
    """The smallest one in words, and what it is worth."""
    said = (
        "χ² adds up how far the counts are from what was expected; tokens too rare for that are counted as one. p is "
        "how often chance alone goes that far."
    )
    least = min(p_values, default=1.0)
    if least >= 0.001:
        often = f"{round(1000 * least):,} of 1,000"
        said += f" p = {least:.3f}: chance takes about {often} such experiments that far or farther."
    return (
        f"{said} About one seed in twenty falls below 0.05 though nothing is wrong; a program that draws wrongly ends "
        "up there again and again."
    )


def _script(looked: ModelAndText, place: int, strategies: Mapping[str, Strategy], n: int, seed: int) -> str:
    named = [scripts.Code(f"{scripts.literal(name)}: {spelling.as_code(one)}") for name, one in strategies.items()]
    return scripts.script(
        """
        import torch

        from core.data.csv_table import print_table
        from core.rooms.strategies.compute.columns import Strategy
        from core.rooms.strategies.compute import draws
        from core.models.pretrained import load

        $logits

        strategies = {
            $strategies
        }
        # Each strategy makes its own probabilities of the logits. Then real draws, and how far chance may carry them.
        drawn = {}
        for name, strategy in strategies.items():
            drawn[name] = draws.draw_many(draws.drawn_from(logits, strategy, ids), n=$n, seed=$seed)
        print_table(draws.table(drawn, found.vocabulary))
        """,
        logits=in_script(looked, place),
        strategies=scripts.lines(named, indent=4),
        n=n,
        seed=seed,
    )
