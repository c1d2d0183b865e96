"""The bottleneck race: one vector for the whole string, or a look back at every letter."""

from typing import Any

import numpy as np
import streamlit as st

from core.charts.curves import Curve, Reference
from core.charts.lines import lines
from core.charts.race import race
from core.data.synthetic import reversal
from core.models.seq2seq import Decoder, Encoder
from core.rooms.seq2seq.common import VARIANTS
from core.rooms.seq2seq.experiments import bottleneck as task
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told, without
from core.ui.training import live
from core.ui.widgets.film import film

NAME = "bottleneck"
MEASURES = task.MEASURES
GUESSES = {"most": "more than 90%", "half": "50 to 90%", "few": "less than 50%"}
AT = task.LENGTHS.index(reversal.LONGEST)


@exhibit(
    title="The bottleneck race",
    look_for="how far each curve holds up as the string gets longer. The task is to write a string of letters "
    "backwards. The models differ in one thing: without attention, the whole string has to pass through one vector, a "
    "short list of numbers.",
    try_this=[
        (
            "Make your guess, then press “Train both”.",
            "Both learn short strings before long ones. Up to 20 letters, the final gap widens with the length, except "
            "for small ups and downs.",
        ),
        (
            "Choose “the whole string, writing by itself”.",
            "Without attention, no string of eight letters or more comes out right. With attention, most strings of up "
            "to 20 letters do, and none of 30.",
        ),
        (
            "Scrub through the film.",
            "At step 0 the weights are almost the same everywhere. Then a stripe grows from the upper right corner: "
            "to write its first letter, the model reads the last letters of the string.",
        ),
    ],
    code=(Encoder.forward, Decoder.step, task.Bottleneck.advance, task.measure),
)
def bottleneck() -> Shown | None:
    """A guess, the race, accuracy by length and over the training, and the film of the alignment."""
    answer = guess(
        "race_guess",
        f"Before you look: without attention, how many of {reversal.LONGEST} letters will come out right?",
        GUESSES,
    )
    left, right = st.columns(2, gap="medium")
    with left:
        seed = controls.seed(name="race_seed")
    with right:
        d_model = controls.segmented(
            "race_width", "Width", [16, 32, 48, 64], 48, help="How many numbers each net's state has."
        )
    shown = live.train(
        NAME, {"d_model": d_model}, seed, label="Train both", about="350 steps each, about fifteen seconds."
    )
    if shown is None:
        return None
    measure = controls.select("race_measure", "What counts as right", list(MEASURES), "forced", labels=MEASURES)
    hidden = ["without"] if answer == NOT_YET else []
    by_length = _by_length(shown, measure, hidden)
    length_side, step_side = layout.pair("race-curves")
    with length_side:
        # A single curve has no legend, so its name stands in the title.
        st.markdown("**With attention, by length of the string**" if hidden else "**By length of the string, now**")
        st.vega_lite_chart(by_length, width="stretch", alt=_in_words(shown, measure, hidden), key="race-length")
    with step_side:
        st.markdown(f"**Strings of {reversal.LONGEST} letters, during training**")
        st.vega_lite_chart(
            race(
                {
                    name: (shown.record["step"], shown.record[f"curve.{v}.{measure}"][:, AT])
                    for v, name in VARIANTS.items()
                },
                [Reference(1 / len(reversal.LETTERS), "guessing a letter")] if measure != "exact" else [],
                y_title="share that is right",
                n_step=shown.n_step,
                mode=layout.color_mode(),
                y_limits=(0, 1.05),
                hidden=[VARIANTS[v] for v in hidden],
            ),
            width="stretch",
            alt=f"Share that is right at {reversal.LONGEST} letters, by training step.",
            key="race-steps",
        )
    _verdict(shown, answer)
    _film(shown)
    return Shown(
        numbers=lambda: task.table(shown.record, hidden),
        arrays=lambda: without(shown.record, hidden),
        figure=by_length,
        script=lambda: _script(shown, hidden),
    )


def _script(shown: Live, hidden: list[str]) -> str:
    return scripts.of_record(
        NAME,
        shown,
        "Both models, measured on strings that they were not trained on. With the settings that ship the "
        "record that ships is read; with others they are trained now, which takes some fifteen seconds.",
        hidden,
    )


def _final(shown: Live, variant: str, measure: str = "forced") -> Any:
    return shown.record[f"curve.{variant}.{measure}"][-1]


def _by_length(shown: Live, measure: str, hidden: list[str]) -> dict[str, Any]:
    lengths = shown.record["lengths"].tolist()
    return lines(
        [Curve(name, lengths, _final(shown, v, measure).tolist()) for v, name in VARIANTS.items() if v not in hidden],
        x_title="letters in the string",
        y_title="share that is right",
        mode=layout.color_mode(),
        height=280,
        y_range=(0, 1.05),
        marked=float(reversal.LONGEST),
    )


def _in_words(shown: Live, measure: str, hidden: list[str]) -> str:
    now = "; ".join(
        f"{name} {_final(shown, v, measure)[AT]:.0%} at {reversal.LONGEST} letters and "
        f"{_final(shown, v, measure)[-1]:.0%} at {task.LENGTHS[-1]}"
        for v, name in VARIANTS.items()
        if v not in hidden
    )
    return f"Share that is right, by length of the string, counted as: {MEASURES[measure]}. {now}."


def _verdict(shown: Live, answer: str) -> None:
    """What passes between the two nets, and what that is good for."""
    d_model = int(task.Options(**shown.options).d_model)
    own, other = _final(shown, "with"), _final(shown, "without")
    if answer == NOT_YET:
        st.caption(
            f"The vertical line: {reversal.LONGEST} letters, the longest in training. The model without attention "
            "appears once you've made your guess above."
        )
        return
    came = f"{other[AT]:.0%}"
    n = {v: sum(a.size for k, a in shown.record.items() if k.startswith(f"model.{v}.")) for v in VARIANTS}
    st.markdown(
        f"After step {shown.step}, at {reversal.LONGEST} letters, given the true letters before each one: "
        f"**{own[AT]:.0%} with attention, {other[AT]:.0%} without.**{told(answer, GUESSES, came)}\n\n"
        f"| | {VARIANTS['with']} | {VARIANTS['without']} |\n|---|---|---|\n"
        f"| passes from the encoder to the decoder, for 20 letters | {d_model} + 20 × {2 * d_model} numbers | "
        f"{d_model} numbers |\n"
        f"| parameters | {n['with']:,} | {n['without']:,} |\n"
        f"| right at {task.LENGTHS[-1]} letters, longer than any in training | {own[-1]:.0%} | {other[-1]:.0%} |\n"
        f"| the same, writing by itself | {_final(shown, 'with', 'free')[-1]:.0%} | "
        f"{_final(shown, 'without', 'free')[-1]:.0%} |"
    )
    st.caption(
        f"The vertical line: {reversal.LONGEST} letters, the longest in training. Measured on {task.N_HELD} new "
        "strings of each length; the letters are random, so none can be guessed from the others. Attention removes the "
        "bottleneck, but doesn't teach the model strings longer than it has met."
    )


def _film(shown: Live) -> None:
    """The alignment of one string while it is learned."""
    ids = reversal.encode(task.PROBE)
    n = len(ids)
    truth = np.zeros((n + 1, n), bool)
    truth[np.arange(n), n - 1 - np.arange(n)] = True
    accuracy = shown.record["curve.with.forced"][:, AT]
    film(
        shown.record["frames.with.weights"],
        steps=shown.record["step"].tolist(),
        rows=reversal.tokens([*ids[::-1], reversal.END]),
        columns=list(task.PROBE),
        notes=[f"{share:.0%} right at {reversal.LONGEST} letters" for share in accuracy],
        truth=truth,
        truth_title="the letter to be written",
        key="race-film",
        label="Where it reads as it writes, during training",
        takeaway="The weights of the model with attention on one string of 20 letters. A stripe from the upper right "
        "to the lower left grows sharp.",
    )
