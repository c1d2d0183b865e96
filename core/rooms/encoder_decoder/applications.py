"""Four applications of one small model: a summary, an answer, names, a verdict, all of them written word by word."""

from typing import Any

import numpy as np
import streamlit as st

from core.cache import content_key, memoize
from core.charts.race import race
from core.generate.seq2seq import greedy
from core.models.t5 import T5
from core.rooms.encoder_decoder.compute import applications as tasks
from core.rooms.encoder_decoder.compute import questions
from core.rooms.encoder_decoder.compute.applications import TASKS, Pair
from core.rooms.encoder_decoder.experiments.applications import CONFIG, N_HELD, NAMES, Applications, table, written
from core.train.experiment import rebuild
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models.own_words import tell_words
from core.ui.training import live
from core.ui.training.trained_models import Trained, trained
from core.ui.widgets import widgets

NAME = "applications"
DEFAULTS = {
    "summarize": "mia was tired. ben went to the river. the sun was warm. there he lost a drum.",
    "question": "mia was tired. ben went to the river. the sun was warm. there he lost a drum. where was it?",
    "entities": "paris flew to jordan with john austin.",
    "sentiment": "The soup was lovely but the waiter was rude.",
}
MOST_CHARS = 240
MAX_MODELS = 16


@memoize(MAX_MODELS)
def _model(models: Trained) -> T5:
    model: T5 = rebuild(models.record, "t5", CONFIG).float()
    return model


@memoize(256)
def answered(models: Trained, source: tuple[str, ...]) -> tuple[str, ...]:
    """What the model writes to one text."""
    return written(_model(models), [Pair(source, ())])[0]


@exhibit(
    title="Four applications, one model",
    look_for="how one model learns four tasks at once, because each turns a text into a text. Only the first word "
    "tells it which task is meant.",
    try_this=[
        (
            "Choose “sentiment” and swap what comes before “but” with what comes after it.",
            "The same words, and the verdict flips: “but” takes back what came before. Then try “The food was never "
            "dull. The service was not rude.”, and take out both negations.",
        ),
        (
            "Choose “named entities” and swap “paris” and “jordan”.",
            "The same two names change their kinds. No list of names can do that; the words around them decide.",
        ),
        (
            "Choose “question and answer” and ask “who was tired?” or “how was the sun?”.",
            "The answer is in the story and is marked there. Still, the model writes it word by word, and only its "
            "training keeps it to the text.",
        ),
    ],
    code=(tasks.draw, Applications, tasks.f1, greedy),
)
def applications() -> Shown | None:
    """The training, its curves, and a text of one's own for each task."""
    seed = controls.seed(name="apps_seed")
    shown = live.train(NAME, {}, seed, label="Train one model on all four", about=ABOUT)
    if shown is None:
        return None
    spec = _curves(shown)
    st.vega_lite_chart(spec, width="stretch", alt=_in_words(shown), key="apps-curves")
    st.markdown(
        f"Right word for word after step {_looked(shown)}, on {N_HELD} new texts of each task: "
        + ", ".join(f"{NAMES[task]} **{_exact(shown, task):.0%}**" for task in TASKS)
        + f". Counted entity by entity, **F1** is **{float(shown.record['curve.f1'][-1]):.2f}** (1: all found, none "
        "made up). An entity counts if its kind and all its words are right."
    )
    depth.note("All four tasks share one loss.")
    task = controls.segmented("apps_task", "Task", list(TASKS), "summarize", labels=NAMES)
    arrays = _own(shown, task)
    return Shown(
        numbers=lambda: table(shown.record),
        arrays=lambda: {**shown.record, **arrays},
        figure=spec,
        script=lambda: _script(shown),
    )


def _script(shown: Live) -> str:
    return scripts.of_record(
        NAME,
        shown,
        "One model, one loss, four tasks. The record that ships, or else some twenty seconds of training.",
    )


ABOUT = "650 steps take about twenty seconds."


def _looked(shown: Live) -> int:
    """The step of the newest measurement."""
    return int(shown.record["step"][-1])


def _exact(shown: Live, task: str) -> float:
    return float(shown.record["curve.exact"][-1, TASKS.index(task)])


def _curves(shown: Live) -> dict[str, Any]:
    record = shown.record
    curves = {NAMES[task]: (record["step"], record["curve.exact"][:, i]) for i, task in enumerate(TASKS)}
    curves["F1 of the entities"] = (record["step"], record["curve.f1"])
    return race(
        curves, y_title="share right as a whole, or F1", n_step=shown.n_step, mode=layout.color_mode(),
        y_limits=(0, 1.05), height=320,
    )  # fmt: skip


def _in_words(shown: Live) -> str:
    now = ", ".join(f"{NAMES[task]} {_exact(shown, task):.0%}" for task in TASKS)
    return f"Curves by training step. After step {_looked(shown)}: {now}, F1 {float(shown.record['curve.f1'][-1]):.2f}."


def _own(shown: Live, task: str) -> dict[str, Any]:
    """The model's answer to a text of the learner's own."""
    text = controls.text_area(f"apps_{task}", LABELS[task], DEFAULTS[task], max_chars=MOST_CHARS, height=80)
    source, unknown = tasks.read(task, text)
    tell_words(unknown, f"apps_{task}", text, tasks.known(task), "No text of this task has them, so they are left out.")
    if len(source) == 1:
        st.info("Write at least one word that the model knows.")
        return {}
    if len(source) > tasks.MOST_WORDS:
        st.caption(f"Only the first {tasks.MOST_WORDS} words of a long text are read.")
    answer = answered(trained(shown), source)
    said = " ".join(answer) or "(nothing)"
    _marked(source, answer, task)
    if task == "entities":
        found = [f"**{' '.join(words)}** is {KIND[kind]}" for kind, *words in tasks.entities_in(answer).elements()]
        st.markdown(f"It writes: “{said}”. {'; '.join(found) or 'No name, then'}.")
    else:
        st.markdown(f"It writes: **“{said}”**.")
    if task == "question":
        body = source[1:]
        if questions.find(answer, body) is None:
            st.caption("The text doesn't have these words in this order: nothing forces the model to copy.")
    return {"source": np.array(tasks.encode(source)), "answer": np.array(tasks.encode(answer))}


LABELS = {
    "summarize": "Your story, a small one",
    "question": "Your story, and a question at its end",
    "entities": "Your sentence, with names",
    "sentiment": "Your review of a restaurant",
}
KIND = {"person": "a person", "place": "a place", "organization": "an organization"}


def _marked(source: tuple[str, ...], answer: tuple[str, ...], task: str) -> None:
    """The text as the model reads it; what it wrote again is marked."""
    marks = np.zeros(len(source))
    if task == "question":
        span = questions.find(answer, source[1:])
        if span is not None:
            marks[1 + span[0] : 1 + span[1]] = 1
    elif task != "sentiment":
        names = set(answer) - set(KIND) - {"a", "the", "at", "."}
        marks[1:] = [word in names for word in source[1:]]
    shown = None if task == "sentiment" else marks
    n_marked = int(marks.sum())
    widgets.token_row(
        source,
        key=f"apps-row-{task}-{content_key(' '.join(source))[:12]}",
        values=shown,
        kind="probability",
        value_title="copied",
        title="What the model reads",
        takeaway=f"{len(source)} words, the task first; {n_marked} of them appear in the answer.",
    )
