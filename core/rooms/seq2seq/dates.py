"""Dates as people write them, learned in seconds; and an answer where there is none."""

from datetime import date

import streamlit as st
import torch

from core.charts.race import race
from core.generate.seq2seq import greedy
from core.rooms.seq2seq.common import HOW
from core.rooms.seq2seq.compute import dates as data
from core.rooms.seq2seq.experiments import dates as task
from core.train.experiment import rebuild
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models.own_words import tell_letters
from core.ui.text import escape_markdown
from core.ui.training import live
from core.ui.widgets.film import film

NAME = "dates"
EXAMPLES = {3: date(1976, 2, 29), 7: date(2033, 10, 4), 9: date(1960, 12, 6)}  # format -> day
ATTENTION = {"additive": "with attention", "none": "without attention"}


@exhibit(
    title="Dates, a small translation",
    look_for="how soon the whole date is right, all ten characters of it, on days that weren't trained on. The task: "
    "read a day as people write it, and write it like 1976-07-04.",
    try_this=[
        (
            "Type a date from another century: 12 April 1761.",
            "It answers 1961-04-12. All training days lie between 1950 and 2049, so it has never written 17 and "
            "doesn't know how.",
        ),
        (
            "Type “next tuesday”.",
            "It writes something much like a date. It has no way to say “I don't know”: it writes the most probable "
            "character, then the next.",
        ),
        (
            "Choose “without attention” and train again.",
            "After the same 180 steps about two thirds of the characters are right, but hardly one whole date. The "
            "format is learned at once; getting the digits through the one vector takes longer.",
        ),
    ],
    code=(data.write, task.Dates.advance, greedy),
)
def dates() -> Shown | None:
    """The training, a date of the learner's own, and the film of the alignment."""
    left, right = st.columns([1, 2], gap="medium")
    with left:
        seed = controls.seed(name="dates_seed")
    with right:
        attention = controls.segmented("dates_attention", "Model", list(ATTENTION), "additive", labels=ATTENTION)
    shown = live.train(NAME, {"attention": attention}, seed, about="180 steps, about ten seconds.")
    if shown is None:
        return None
    record = shown.record
    exact, signs = record["curve.exact"], record["curve.signs"]
    spec = race(
        {"whole dates": (record["step"], exact), "single characters": (record["step"], signs)},
        y_title="share that is right",
        n_step=shown.n_step,
        mode=layout.color_mode(),
        y_limits=(0, 1.05),
    )
    chart_side, text_side = layout.pair("dates-sides")
    with chart_side:
        st.vega_lite_chart(
            spec,
            width="stretch",
            alt=f"By training step. Now: {exact[-1]:.1%} of the dates and {signs[-1]:.1%} of the characters are right.",
            key="dates-curve",
        )
    with text_side:
        st.markdown(
            f"After step {shown.step}, **{exact[-1]:.1%}** of {task.N_HELD} whole dates are right, written by the "
            f"model itself, {ATTENTION[str(shown.options['attention'])]}. They are days from no training pair, in "
            f"{len(data.FORMATS)} formats."
        )
        _own(shown)
    if "frames.weights" in record:
        film(
            record["frames.weights"],
            steps=record["step"].tolist(),
            rows=data.tokens(data.encode_target(task.PROBE[1])),
            columns=list(task.PROBE[0]),
            notes=[f"{share:.0%} of the dates right" for share in exact],
            key="dates-film",
            label="Where it reads as it writes a date, during training",
            takeaway="The film keeps one date, not yours. The year is read at its last characters, then the month, "
            "then the day.",
        )
    return Shown(
        numbers=lambda: task.table(record),
        arrays=lambda: dict(record),
        figure=spec,
        script=lambda: _script(shown),
    )


def _script(shown: Live) -> str:
    return scripts.of_record(
        NAME,
        shown,
        "A model that learned to write dates in one way. With the settings that ship the record that ships is "
        "read; with others it is trained now, which takes some ten seconds.",
    )


def _own(shown: Live) -> None:
    """A date of the learner's own."""
    text = controls.text_input("dates_text", "Your date", "The 4th of July 1976", max_chars=data.MOST)
    how = HOW["dates"]
    tell_letters("dates_text", text, how.signs, how.named, how.offered)
    ids = data.encode(text)
    if not ids:
        st.info("Type at least one letter or digit.")
        return
    model = rebuild(shown.record, "dates", task.config(str(shown.options["attention"]))).float()
    written = greedy(model, torch.tensor([ids]), start_id=data.START, end_id=data.END, max_new_tokens=data.LENGTH + 5)
    answer, truth = data.decode(written[0].tolist()), data.read("".join(data.SIGNS[i] for i in ids))
    told = "✓ right" if answer == truth else f"✗ it is {truth}" if truth else "in none of the trained formats and years"
    st.markdown(f"**{escape_markdown(answer) or '(nothing)'}** ({told})")
    examples = "; ".join(f"“{data.write(day, data.FORMATS[i])}”" for i, day in EXAMPLES.items())
    st.caption(f"It was trained on dates like {examples}, all from 1950 to 2049. 31/12/99 is a day in 1999.")
