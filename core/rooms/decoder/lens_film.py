"""The logit lens over a training: a small GPT learns stories, and its layers are read on the way."""

import numpy as np
import streamlit as st

from core.charts.curves import Reference
from core.charts.race import race
from core.rooms.decoder import predictions_widget
from core.rooms.decoder.compute.readout import read_layers, read_out, row_names
from core.rooms.decoder.experiments import lens as task
from core.train import experiment
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.training import live

NAME = task.NAME
NORMS = {"pre": "pre-norm", "post": "post-norm"}


@exhibit(
    title="The lens over a training",
    look_for="what is learned first, and in which layers. Play it or drag the slider; most happens in the first "
    "frames.",
    try_this=[
        (
            "Go to step 0.",
            "With **tied weights** (a token leaves by the vector it came in with) even an untrained model repeats its "
            "input: in the first row nearly every token finds itself, though only with 0.01. Training makes the "
            "whisper loud: at the end this row says “and” after “and” with 1.00.",
        ),
        (
            "In the example, step on to 18, then slowly to the end.",
            "At first the output knows only the most frequent tokens: “.”, “the”, “and” and the line end. Both “Mia” "
            "get the same answer. At the end the first is followed by “played”, the second by “hid”: what came before "
            "has begun to count.",
        ),
        (
            "Train it without tying, and look at the embedding's row.",
            "No echo, neither at step 0 nor at the end: the two sets of vectors have nothing to do with each other, "
            "and this row was never trained to be read.",
        ),
    ],
    code=(task.Lens.advance, read_layers, read_out),
)
def lens_film() -> Shown | None:
    """The training, its curve, and the film."""
    left, middle, right = st.columns([3, 3, 2], gap="medium", vertical_alignment="bottom")
    with left:
        norm = controls.segmented("film_norm", "Norms", list(NORMS), "pre", labels=NORMS)
    with middle:
        tied = controls.toggle("film_tied", "Tied output layer", True)
    with right:
        seed = controls.seed(name="film_seed")
    about = f"{task.Options().n_step} steps take about eight seconds on one core."
    shown = live.train(NAME, {"norm": norm, "tied": tied}, seed, about=about)
    if shown is None:
        return None
    record = shown.record
    steps = record["step"].tolist()
    tokenizer = experiment.tokenizer_of(record)
    ids = record["probe"].tolist()
    predictions_widget.lens(
        top=record["frames.top"],
        probabilities=record["frames.probabilities"],
        rank=record["frames.rank"],
        truth=record["frames.truth"].astype(np.float32),
        rows=row_names(record["frames.rank"].shape[1] - 1),
        tokens=tokenizer.tokens(ids),
        vocabulary=tokenizer.tokens(range(tokenizer.vocab_size)),
        steps=steps,
        notes=[_note(rank) for rank in record["frames.rank"]],
        key="lens-film",
        label="Each layer's favorite at each position, over the training",
        takeaway=f"{len(steps)} frames, steps {steps[0]} to {steps[-1]}. {_note(record['frames.rank'][-1])}.",
    )
    spec = race(
        {"training": (record["curve.step"], record["curve.loss"])},
        [Reference(float(record["blind"]), "guessing blindly")],
        y_title=depth.measured("loss", "nats per token"),
        n_step=shown.n_step,
        mode=layout.color_mode(),
        height=190,
    )
    last = f"{record['curve.loss'][-1]:.3f}" if len(record["curve.loss"]) else "not measured yet"
    st.vega_lite_chart(
        spec, width="stretch", alt=f"Loss of the batches by step; the last one: {last}.", key="film-loss"
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
        "A small model learns stories, and all its layers are read on the way: some eight seconds, unless it "
        "is the record that ships.",
    )


def _note(rank: np.ndarray) -> str:
    """How often the true token is in front in the last row."""
    known = rank[-1, :-1]
    return f"output right at {int((known == 1).sum())} of {len(known)}"
