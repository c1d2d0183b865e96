"""Teacher forcing, and what happens without it: one mistake is the next step's input."""

import numpy as np
import streamlit as st

from core.charts.curves import Curve
from core.charts.lines import lines
from core.data.synthetic import reversal
from core.generate.seq2seq import greedy
from core.inspect.forcing import by_place
from core.models.seq2seq import Seq2Seq, shift_right
from core.rooms.seq2seq.common import VARIANTS, open_text
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.widgets.written_row import mistakes, written_row

N = 64  # random strings of the curve
DEFAULT = "thequickbrownfoxjumpsover"


@exhibit(
    title="With and without teacher forcing",
    look_for="the first wrong token in each row, marked ✗. The task is to write a string backwards. With **teacher "
    "forcing** the decoder reads the true token next, whatever it wrote; without, it reads its own.",
    try_this=[
        (
            "Choose the model “without attention”.",
            "On its own it gets the first letter right and little after it; reading the true letters, it gets about "
            "half of the first ten. Toward the end neither is any good.",
        ),
        (
            "Back with attention, look at the curves: strings of 25 letters are longer than any in training.",
            "They part after position 12, where the mistakes begin. Reading the truth, the model recovers toward the "
            "end; on its own it doesn't. All it knows well is when to stop.",
        ),
        (
            "Shorten the string to “thequickbr”.",
            "Both rows are the same: without a mistake, there's no difference. Teacher forcing flatters a model that "
            "makes some.",
        ),
    ],
    code=(shift_right, Seq2Seq.forward, greedy, by_place),
)
def forcing() -> Shown | None:
    """One string, forced and free; and the share of right letters at each place over many strings of its length."""
    variant = controls.segmented("force_model", "Model", list(VARIANTS), "with", labels=VARIANTS)
    opened = open_text("reversal", "force", DEFAULT, variant)
    if opened is None:
        return None
    truth = [*opened.ids[::-1], reversal.END]
    forced, free = opened.write(forced=truth), opened.write()
    for seen, name, title in (
        (forced, "forced", "With teacher forcing: it reads the true token before each one"),
        (free, "free", "Writing on its own: it reads what it wrote"),
    ):
        written_row(seen, truth, opened.task.tokens, unit="token", title=title, key=f"force-{name}")
    st.markdown(mistakes(forced, free, truth, "Try a longer string, or the model without attention."))
    length = len(opened.ids)
    shares = by_place(opened.model, length, N, seed=0)
    places = np.arange(1, length + 2)
    spec = lines(
        [
            Curve("teacher forcing", places.tolist(), shares.forced.tolist()),
            Curve("on its own", places.tolist(), shares.free.tolist()),
        ],
        x_title="position in the output",
        y_title="share that is right",
        mode=layout.color_mode(),
        height=240,
        y_range=(0, 1.05),
    )
    st.markdown(f"**{N} random strings of {length} letters: right at each position**")
    st.vega_lite_chart(
        spec,
        width="stretch",
        alt=f"Share right by position. Mean: {shares.forced.mean():.0%} with teacher forcing, {shares.free.mean():.0%} "
        "on its own.",
        key="force-places",
    )
    st.caption(
        f"The last position is the end token. Over all positions: {shares.forced.mean():.0%} with teacher forcing, "
        f"{shares.free.mean():.0%} on its own."
    )
    return Shown(
        numbers=shares.table,
        arrays={"forced": forced.probabilities, "free": free.probabilities},
        figure=spec,
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.inspect.forcing import by_place
            $imports

            $model
            # Random strings of this length, written backwards: once reading the truth, once reading its own words.
            print_table(by_place(model, length=$length, n=$n, seed=0).table())
            """,
            **opened.model_in_script(variant),
            length=length,
            n=N,
        ),
    )
