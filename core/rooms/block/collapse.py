"""Eight layers without residual paths: all tokens become the same vector, and nothing can be learned."""

from typing import Any

import numpy as np
import streamlit as st

from core.charts.curves import Reference
from core.charts.race import race
from core.data.synthetic import NOUNS, referents
from core.rooms.block.experiments import depth as task
from core.rooms.block.sizes_in_words import told
from core.rooms.block.variants import FULL, NAME, NAMES, WITHOUT
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess
from core.ui.frame.guess import told as told_beside
from core.ui.numbers import signed
from core.ui.text import percent
from core.ui.training import live
from core.ui.widgets import widgets

GUESSES = {"both": "both learn it", "two": "only the two layers", "eight": "only the eight layers", "none": "neither"}
CHANCE = Reference(1 / len(NOUNS), "chance: one noun of eight")
LEARNED = 0.95  # of the held-out sentences; what is called learned here


@exhibit(
    title="Eight layers without residual paths",
    look_for="the curves first: four models learn which noun “it” stands for. Then, after your guess, the two pictures "
    "at the end: do the words still differ after all layers?",
    try_this=[
        (
            "Make your guess, then compare the two curves without residual paths.",
            "Eight layers stay near chance or below: with all words alike, one noun is the answer to everything. Two "
            "layers learn the task without a single residual path. It's depth that needs them.",
        ),
        (
            "Move the layer from 0 to 8, and watch the right picture.",
            "Layer by layer, every **cosine** goes to 1: two vectors with cosine 1 point the same way. By layer 8 all "
            "words have the same vector, so it no longer matters which one attention reads. This is **rank collapse**.",
        ),
        (
            "Train with other seeds.",
            "With seeds 0, 1 and 2, the same two models of eight layers learn, and the same one doesn't.",
        ),
    ],
    code=(task.Depth, task.diversity, task.likeness, task.start_wide),
    formula=r"\mathrm{diversity} = \frac{\lVert X - \mathbf{1}\bar{x}^\top \rVert}{\lVert X \rVert}",
)
def tokens_become_identical() -> Shown | None:
    """A guess, the race, the diversity by layer before and after, and the cosines between the tokens."""
    left, right = st.columns([3, 1], gap="medium")
    with left:
        question = "Before you look: without residual paths, which models learn the task?"
        answer = guess("collapse_guess", question, GUESSES)
    with right:
        seed = controls.seed(name="collapse_seed")
    shown = live.train(NAME, {}, seed, label="Train all four", about="About 15 seconds on one core.")
    if shown is None:
        return None
    hidden = [FULL[variant] for variant in WITHOUT] if answer == NOT_YET else []
    spec = _curves(shown, hidden)
    st.vega_lite_chart(spec, alt=_in_words(shown, hidden), key="collapse-curves")
    if answer == NOT_YET:
        st.caption("The two curves without residual paths, and the reason, appear once you've made your guess.")
        seen = tuple(variant for variant in NAMES if variant not in WITHOUT)
        return Shown(numbers=lambda: task.table(shown.record, seen), figure=spec, script=lambda: _script(shown, seen))
    st.markdown(_verdict(shown, answer))
    one, two = layout.pair("collapse-diversity")
    for place, moment, words in ((one, 0, "At the start"), (two, -1, f"After step {shown.step}")):
        with place:
            chart = _diversity(shown, moment, words)
            st.vega_lite_chart(chart, alt=_told(shown, moment, words), key=f"collapse-{moment}")
    _matrices(shown)
    return Shown(
        numbers=lambda: task.table(shown.record),
        arrays=dict(shown.record),
        figure=spec,
        formula=_formula(shown, "none_8"),
        script=lambda: _script(shown),
    )


def _script(shown: Live, variants: tuple[str, ...] = tuple(NAMES)) -> str:
    """Of all four models; of fewer while the others are to be guessed."""
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.block.experiments import depth

        # Four models learn to name “it”: some fifteen seconds, unless it is the record that ships.
        record = $record
        print_table(depth.table(record$variants))
        """,
        record=scripts.record(NAME, shown),
        variants=scripts.Code("" if len(variants) == len(NAMES) else f", {scripts.literal(variants)}"),
    )


def final(shown: Live, variant: str) -> float:
    """Accuracy on the held-out sentences, now."""
    return float(shown.record[f"curve.{variant}.accuracy"][-1])


def _curves(shown: Live, hidden: list[str]) -> dict[str, Any]:
    return race(
        {n: (shown.record[f"curve.{v}.step"], shown.record[f"curve.{v}.accuracy"]) for v, n in FULL.items()},
        [CHANCE],
        title="What is “it”? Sentences never seen in training",
        y_title="share of right answers",
        n_step=shown.n_step,
        mode=layout.color_mode(),
        y_limits=(0, 1.05),
        hidden=hidden,
        height=320,
    )


def _in_words(shown: Live, hidden: list[str]) -> str:
    now = ", ".join(f"{n}: {percent(final(shown, v))}" for v, n in FULL.items() if n not in hidden)
    return f"Accuracy by training step. After step {shown.step}, {now}."


def _verdict(shown: Live, answer: str) -> str:
    learned = {variant: final(shown, variant) > LEARNED for variant in WITHOUT}
    truth = {(True, True): "both", (False, True): "two", (True, False): "eight", (False, False): "none"}
    came = GUESSES[truth[learned["none_8"], learned["none_2"]]]
    depth_8, depth_2 = (shown.record[f"diversity.{variant}"][-1, -1] for variant in WITHOUT)
    got = {variant: percent(final(shown, variant)) for variant in NAMES}
    return (
        f"After step {shown.step}, on sentences never seen in training: eight layers without residual paths have "
        f"**{got['none_8']}**, two have **{got['none_2']}**, eight with paths **{got['pre_8']}** (pre-norm) and "
        f"**{got['post_8']}** (post-norm).{told_beside(answer, GUESSES, came)}\n\n"
        "Attention mixes tokens: it writes an average of what it reads. A residual path keeps the token's own vector "
        "beside that average. Without it only the average is left, then an average of averages. The charts show how "
        "much the 14 words of a sentence still differ; 0 is all alike. After two layers without paths "
        f"{told(float(depth_2))} is left, after eight {told(float(depth_8))}."
    )


def _diversity(shown: Live, moment: int, words: str) -> dict[str, Any]:
    found = {name: shown.record[f"diversity.{variant}"][moment] for variant, name in FULL.items()}
    return race(
        {name: (np.arange(len(values)), values) for name, values in found.items()},
        title=words,
        y_title="diversity of the tokens",
        x_title="layers passed",
        n_step=8,
        mode=layout.color_mode(),
        y_limits=(0, 1.05),
        height=280,
    )


def _told(shown: Live, moment: int, words: str) -> str:
    found = ", ".join(f"{n}: {told(float(shown.record[f'diversity.{v}'][moment, -1]))}" for v, n in FULL.items())
    return f"{words}, diversity after the last layer, {found}."


def _matrices(shown: Live) -> None:
    """The cosines between the words of one sentence, with and without paths, at one layer."""
    left, right = st.columns([2, 3], gap="medium", vertical_alignment="bottom")
    with left:
        layer = int(controls.slider("collapse_layer", "Layers passed", 0, 8, 8, step=1))
    with right:
        others = [variant for variant in NAMES if variant != "pre_8"]
        other = controls.segmented(
            "collapse_other", "On the right", others, "none_8", labels={v: FULL[v] for v in others}
        )
    tokens = referents.tokens(referents.split(shown.seed)[0][0])
    for place, variant in zip(layout.pair("collapse-likeness"), ("pre_8", other), strict=True):
        cosines = shown.record[f"likeness.{variant}"]
        at = min(layer, len(cosines) - 1)
        values = np.clip(cosines[at], -1, 1)
        apart = values[~np.eye(len(tokens), dtype=bool)]
        with place:
            widgets.matrix(
                values,
                rows=tokens,
                columns=tokens,
                key=f"collapse.{variant}",
                kind="signed",
                limits=(-1, 1),
                row_title="word",
                column_title="other word",
                value_title="cosine",
                height=340,
                label=f"{FULL[variant]}: after {at} {'layer' if at == 1 else 'layers'}",
                takeaway=f"Cosines between two positions: from {signed(apart.min(), 3)} to {signed(apart.max(), 3)}.",
            )
            st.caption(
                f"Cosines between two positions: {signed(apart.min(), 3)} to {signed(apart.max(), 3)}."
                + (" This model has no more layers." if at < layer else "")
            )


def _formula(shown: Live, variant: str) -> str:
    found = shown.record[f"diversity.{variant}"][-1]
    digits, power = f"{found[-1]:.1e}".split("e")
    return rf"{found[0]:.3f} \;\to\; {digits} \cdot 10^{{{int(power)}}} \quad \text{{in 8 layers without}}"
