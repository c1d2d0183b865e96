"""A captioner learns to describe digits, and what is wrong about its wrong captions."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import memoize
from core.charts.curves import Reference
from core.charts.race import race
from core.data import images
from core.models.captioner import Captioner
from core.rooms.captions.compute import captioning, captions
from core.rooms.captions.compute.captioning import Faults
from core.rooms.captions.experiments import captions as task
from core.train.experiment import Record
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.numbers import signed
from core.ui.text import escape_markdown
from core.ui.training import live
from core.ui.widgets.pictures import pictures

NAME = "captions"
CURVES = {"exact": "caption", "digit": "digit", "ink": "ink", "slant": "slant"}
GALLERY = {"wrong": "wrong captions now", "film": "twelve digits while it learns"}
MOST_SHOWN = 24
STEPS = {400: "400", task.Options().n_step: f"{task.Options().n_step:,}"}


@exhibit(
    title="From ink to words",
    look_for="four curves that don't rise together. The digit is learned from its label; ink and slant are "
    "arithmetic on the pixels that the model is never told.",
    try_this=[
        (
            "Look at the wrong captions and read the numbers under the pointer.",
            "Most are wrong about a digit close to a threshold: a hair more ink, and the model would be right.",
        ),
        (
            "Choose “twelve digits while it learns” and move the slider from the left.",
            "First it writes the same for every picture: it learns grammar before it sees anything. Then the digits "
            "come, then what has to be measured.",
        ),
    ],
    code=(Captioner.forward, task.Captions.advance, captions.measure, captions.words_of, task.loss),
    formula=r"\begin{aligned} \text{ink} &= \sum_i p_i \\ "
    r"\text{slant} &= -\frac{\sum_i p_i\, (x_i - \bar x)(y_i - \bar y)}{\sum_i p_i\, (y_i - \bar y)^2} \end{aligned}",
)
def training() -> Shown | None:
    """The training, its curves, and captions of held-out digits."""
    left, right = st.columns(2, gap="medium")
    with left:
        seed = controls.seed(name="caption_seed")
    with right:
        n_step = controls.segmented("caption_steps", "Training steps", list(STEPS), max(STEPS), labels=STEPS)
    about = f"{max(STEPS):,} steps take up to a minute."
    shown = live.train(NAME, {"n_step": n_step}, seed, about=about)
    if shown is None:
        return None
    record = shown.record
    spec = _curves(shown)
    chart, text = layout.pair("caption-sides")
    with chart:
        now = float(record["curve.exact"][-1])
        st.vega_lite_chart(
            spec, width="stretch", alt=f"Shares of right captions by step; whole captions now {now:.1%}.",
            key="caption-curves",
        )  # fmt: skip
    with text:
        _tell(shown)
    which = controls.segmented("caption_show", "Captions", list(GALLERY), "wrong", labels=GALLERY)
    if which == "wrong":
        _wrong(record)
    else:
        _film(record)
    return Shown(
        numbers=lambda: task.table(record),
        arrays=lambda: dict(record),
        figure=spec,
        script=lambda: _script(shown),
    )


def _script(shown: Live) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.captions.experiments import captions

        # Measured on held-out digits while it learns; with the settings that ship, the record that ships.
        print_table(captions.table($record))
        """,
        record=scripts.record(NAME, shown),
    )


@memoize(1)
def baseline() -> tuple[list[str], float]:
    """The most frequent caption, and the share of the held-out digits whose caption it is."""
    return captioning.most_frequent(task.truth(images.to_learn()), task.truth(images.held_out()))


def rival_share(record: Record) -> float | None:
    """Exact captions of a program: a support vector machine names the digit, the rest is measured."""
    if "rival" not in record:
        return None
    held = images.held_out()
    written = captioning.rule(record["rival"], held.pixels)
    return float((written == task.truth(held)).all(1).mean())


def found_faults(record: Record) -> Faults:
    """What is wrong about the captions that it writes now."""
    held = images.held_out()
    return captioning.faults(record["written"], task.truth(held), held.pixels)


def _curves(shown: Live) -> dict[str, Any]:
    record, rival = shown.record, rival_share(shown.record)
    lines = [Reference(baseline()[1], f"always the most frequent caption, {baseline()[1]:.1%}")]
    if rival is not None:
        lines.append(Reference(rival, f"a program that measures, {rival:.1%}"))
    return race(
        {title: (record["curve.step"], record[f"curve.{name}"]) for name, title in CURVES.items()},
        lines,
        y_title="share that is right",
        n_step=shown.n_step,
        mode=layout.color_mode(),
        y_limits=(0, 1.12),
        height=330,
    )


def _tell(shown: Live) -> None:
    record, n = shown.record, len(images.held_out())
    now = {name: float(record[f"curve.{name}"][-1]) for name in CURVES}
    found = found_faults(record)
    right = n - len(found.which)
    st.markdown(
        f"After step {int(record['curve.step'][-1]):,}: **{right} of {n}** captions are right in every word, "
        f"**{now['exact']:.1%}**. Digit {now['digit']:.1%}, ink {now['ink']:.1%}, slant {now['slant']:.1%}."
    )
    st.markdown(in_words(found))
    words, share = baseline()
    rival = rival_share(record)
    told = f"Always saying “{escape_markdown(captions.text(words))}” gets {share:.1%} right. "
    if rival is not None:
        told += (
            "A program that has a support vector machine name the digit, and measures the rest, gets "
            f"**{rival:.1%}** right: the captions are made by just that arithmetic. The model is told none of it, "
            "only sentences."
        )
    st.caption(told.strip())
    depth.note(
        "Where thin ends and leaning begins, and how long it learns, was settled in trials measured on these digits "
        "too, which flatters it a little."
    )


def in_words(found: Faults) -> str:
    """How the wrong captions are wrong."""
    if not len(found.which):
        return "No caption is wrong."
    digit, ink, slant = (int(one) for one in found.wrong.sum(0))
    all_distances = captioning.distances(images.held_out().pixels).mean(0)
    told = f"Wrong: the digit in **{digit}**, the ink in **{ink}**, the slant in **{slant}**."
    if ink:
        told += (
            f" Where the ink is wrong it is {found.distance[found.wrong[:, 1], 0].mean():.2f} pixels from the "
            f"threshold on average, against {all_distances[0]:.2f} over all digits."
        )
    if slant:
        told += (
            f" Where the slant is wrong it is {found.distance[found.wrong[:, 2], 1].mean():.3f} from one, against "
            f"{all_distances[1]:.3f} over all."
        )
    if found.odd.any():
        told += f" In {int(found.odd.sum())} only the grammar is wrong."
    return told


def _wrong(record: Record) -> None:
    found = found_faults(record)
    if not len(found.which):
        st.success("Every caption is right.")
        return
    some = found.which[:MOST_SHOWN]
    told = f"{len(found.which)} of {len(images.held_out())} are wrong; the truth is in brackets."
    _gallery(some, record["written"][some], "wrong", told)
    if len(some) < len(found.which):
        st.caption(f"The first {len(some)} of {len(found.which)}, by number.")


def _film(record: Record) -> None:
    steps, film = record["curve.step"], record["frames.written"]
    n_look = len(film)
    look = n_look
    if n_look > 1:
        look = int(controls.slider("caption_look", "Moment of the training", 1, n_look, n_look, step=1))
    chosen = task.film_digits(len(images.held_out()))
    _gallery(chosen, film[look - 1], "film", f"After step {int(steps[look - 1]):,}; the truth is in brackets.")


def _gallery(which: NDArray[np.int64], written: NDArray[np.integer], name: str, takeaway: str) -> None:
    """Held-out digits with what is written about them; a mark tells whether it is right, brackets what would be."""
    held = images.held_out()
    true = task.truth(held)[which]
    said = [captions.decode(row) for row in written.tolist()]
    found = captions.measure(held.pixels[which])
    pictures(
        held.pixels[which],
        key=f"caption-gallery-{name}",
        label=takeaway,
        takeaway=takeaway,
        titles=[short(words, captions.decode(row)) for words, row in zip(said, true.tolist(), strict=True)],
        details=[
            f"held-out digit {i}; it writes “{captions.text(words)}” The truth: "
            f"“{captions.text(captions.decode(row))}” Ink {ink:.1f}, slant {signed(slant, plus=True)}"
            for i, words, row, ink, slant in zip(which, said, true.tolist(), found.ink, found.slant, strict=True)
        ],
        size=136,
    )


def short(words: list[str], true: list[str]) -> str:
    """What a caption says of digit, ink and slant; in brackets what is true where that is something else."""
    said, asked = captions.parts(words), captions.parts(true)
    parts = [one if one == other else f"{one or '–'} ({other})" for one, other in zip(said, asked, strict=True)]
    return f"{'✓' if words == true else '✗'} {', '.join(parts)}"
