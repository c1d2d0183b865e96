"""Teacher forcing, and what happens without it: one mistake is the next step's input."""

import numpy as np
import streamlit as st

from core.charts.curves import Curve
from core.charts.lines import lines
from core.data import reversal
from core.exhibits.seq2seq.common import VARIANTS, Opened, open_text
from core.generate.seq2seq import greedy
from core.inspect.alignment import Alignment
from core.inspect.forcing import by_place, wrong_places
from core.models.seq2seq import Seq2Seq, shift_right
from core.ui import controls, layout, widgets
from core.ui.frame import Shown, exhibit

N = 64  # random strings of the curve
DEFAULT = "thequickbrownfoxjumpsover"


@exhibit(
    title="Teacher forcing, and without",
    look_for="the first wrong token in each row. With teacher forcing the decoder reads the true token next, whatever "
    "it wrote; without, it reads its own.",
    try_this=[
        (
            "Choose the model “without attention”.",
            "By itself it gets the first letter right and little after it; reading the true letters it keeps about "
            "half of the first ten. Towards the end neither is any good.",
        ),
        (
            "Back with attention, look at the curves: strings of 25 letters are longer than any in training.",
            "The two part after place 12, where the mistakes begin. Reading the truth the model finds back towards the "
            "end; by itself it does not. It only knows well when to stop.",
        ),
        (
            "Shorten the string to “thequickbr”.",
            "Both rows are the same: who makes no mistake notices no difference. Teacher forcing flatters a model that "
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
    _row(opened, forced, truth, "With teacher forcing: it reads the true token before each one", "forced")
    _row(opened, free, truth, "Writing by itself: it reads what it wrote", "free")
    st.markdown(_in_words(forced, free, truth))
    length = len(opened.ids)
    shares = by_place(opened.model, length, N, seed=0)
    places = np.arange(1, length + 2)
    spec = lines(
        [
            Curve("teacher forcing", places.tolist(), shares.forced.tolist()),
            Curve("by itself", places.tolist(), shares.free.tolist()),
        ],
        x_title="place in the output",
        y_title="share that is right",
        mode=layout.color_mode(),
        height=240,
        y_range=(0, 1.05),
    )
    st.markdown(f"**{N} random strings of {length} letters: right at each place**")
    st.vega_lite_chart(
        spec,
        width="stretch",
        alt=f"Share right by place. Mean: {shares.forced.mean():.0%} with teacher forcing, {shares.free.mean():.0%} by "
        "itself.",
        key="force-places",
    )
    st.caption(
        f"The last place is the end token. Over all places: {shares.forced.mean():.0%} with teacher forcing, "
        f"{shares.free.mean():.0%} by itself."
    )
    return Shown(
        numbers={
            "place": places.tolist(),
            "teacher forcing": shares.forced.tolist(),
            "by itself": shares.free.tolist(),
        },
        arrays={"forced": forced.probabilities, "free": free.probabilities},
        figure=spec,
    )


def _row(opened: Opened, seen: Alignment, truth: list[int], title: str, key: str) -> None:
    """What was written, token by token; a wrong one is marked by a sign and by its color."""
    written = seen.written.tolist()
    right = [t < len(truth) and token == truth[t] for t, token in enumerate(written)]
    names = opened.task.tokens(written)
    read = opened.task.tokens(seen.fed.tolist())
    due = [opened.task.tokens([truth[t]])[0] if t < len(truth) else "nothing" for t in range(len(written))]
    widgets.token_row(
        [name if good else f"✗{name}" for name, good in zip(names, right, strict=True)],
        values=[float(seen.probabilities[t, token]) for t, token in enumerate(written)],
        kind="probability",
        limits=(0, 1),
        value_title="probability of the token written",
        details=[f"reads {r!r}, writes {n!r}, right is {d!r}" for r, n, d in zip(read, names, due, strict=True)],
        key=f"force-{key}",
        title=title,
        takeaway=f"{title}: {sum(right)} of {len(truth)} tokens right.",
    )


def _in_words(forced: Alignment, free: Alignment, truth: list[int]) -> str:
    one, other = wrong_places(forced.written, truth), wrong_places(free.written, truth)
    if not one and not other:
        return "No mistake in either row, so both are the same. Try a longer string, or the model without attention."
    first = min(one + other)
    return (
        f"The first mistake is at place **{first + 1}** in both rows: up to there both have read the same. Of the "
        f"{len(truth)} places of the answer, **{len(one)}** {'is' if len(one) == 1 else 'are'} wrong with teacher "
        f"forcing, **{len(other)}** when it writes by itself."
    )
