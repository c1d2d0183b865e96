"""Four applications of one small model: a summary, an answer, entities and a verdict, all written word by word."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, content_key, seed, segmented_control, text_area
from core.generate.seq2seq import greedy_decode
from core.rooms.encoder_decoder.compute import applications as tasks, stories
from core.rooms.encoder_decoder.compute.applications import TASKS, TaskExample
from core.rooms.encoder_decoder.experiments.applications import (
    N_HELD,
    TASK_NAMES,
    Applications,
    model_of,
    write_answers,
)
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "applications"
KIND_NAMES = {
    "person": LABELS["kind.person"],
    "place": LABELS["kind.place"],
    "organization": LABELS["kind.organization"],
}
CODE = (tasks.draw_examples, Applications, tasks.entity_f1, greedy_decode)


def _notify_unknown_words(task: str, name: str, typed: str, _: object) -> None:
    """Warn about words that the texts of a task don't have."""
    unknown, then = tasks.parse_task_text(task, typed)[1], LABELS["left_out"]
    ui.warn_unknown_words(unknown, name, typed, tasks.known_words(task), then)


def _text_area_options(task: str) -> dict[str, Any]:
    """Return the arguments of the text area of a task."""
    how = {"max_chars": 240, "height": 80, "notes": partial(_notify_unknown_words, task)}
    return {**how, "when": lambda i: i.task == task}


class Inputs(Base, prefix="apps_"):
    seed: int = seed()
    task: str = segmented_control(TASK_NAMES, "summarize")
    summarize: str = text_area(
        "mia was tired. ben went to the river. the sun was warm. there he lost a drum.",
        **_text_area_options("summarize"),
    )
    question: str = text_area(
        "mia was tired. ben went to the river. the sun was warm. there he lost a drum. where was it?",
        **_text_area_options("question"),
    )
    entities: str = text_area("paris flew to jordan with john austin.", **_text_area_options("entities"))
    sentiment: str = text_area("The soup was lovely but the waiter was rude.", **_text_area_options("sentiment"))


class ApplicationAnswer(Result):
    """The run so far, and the model's answer to a text."""

    run: ExperimentRun
    shares: dict[str, float]  # display name of the task -> fraction of texts whose answer is exactly right
    f1: float  # of the entities
    source: tuple[str, ...]  # the task's name, then the known words; `answer` is empty if no word is known
    answer: tuple[str, ...]
    said: str  # the answer as a text
    found: list[tuple[str, str]]  # the entities in the answer, and their kinds
    span: tuple[int, int] | None  # the answer's position in the text; None if it isn't in the text
    marks: NDArray[np.float64]  # (S,) 1 for words that were copied

    def table(self) -> dict[str, list[float]]:
        """Return the exact-match rate of each task, and F1 of the entities, at each step."""
        record = self.run.record
        exact = {TASK_NAMES[task]: record["curve.exact"][:, i].tolist() for i, task in enumerate(TASKS)}
        return {LABELS["step"]: record["step"].tolist(), **exact, LABELS["f1"]: record["curve.f1"].tolist()}

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the record, and the ids of text and answer."""
        ids = {"source": self.source, "answer": self.answer} if self.answer else {}
        return {**self.run.record, **{name: np.array(tasks.encode(words)) for name, words in ids.items()}}


def compute(inputs: Inputs, run: ExperimentRun) -> ApplicationAnswer:
    """Return the record, and the model's answer to the text."""
    source, _ = tasks.parse_task_text(inputs.task, getattr(inputs, inputs.task))
    answer = write_answers(model_of(run), [TaskExample(source, ())])[0] if len(source) > 1 else ()
    exact = run.record["curve.exact"][-1].tolist()
    span, marks = stories.find_span(answer, source[1:]), np.zeros(len(source))
    if inputs.task == "question" and span is not None:
        marks[1 + span[0] : 1 + span[1]] = 1
    elif inputs.task in ("summarize", "entities"):
        names = {*answer} - {*KIND_NAMES, "a", "the", "at", "."}
        marks[1:] = [word in names for word in source[1:]]
    return ApplicationAnswer(
        run=run,
        shares={TASK_NAMES[task]: share for task, share in zip(TASKS, exact, strict=True)},
        f1=float(run.record["curve.f1"][-1]),
        source=source,
        answer=answer,
        said=" ".join(answer),
        found=[(" ".join(words), KIND_NAMES[kind]) for kind, *words in tasks.count_entities(answer).elements()],
        span=span,
        marks=marks,
    )


def draw(result: ApplicationAnswer, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the curves, and the model's answer to a text of the learner's own."""
    record, task, source = run.record, inputs.task, result.source
    curves = {TASK_NAMES[one]: (record["step"], record["curve.exact"][:, i]) for i, one in enumerate(TASKS)}
    ui.curves(
        {**curves, LABELS["f1"]: (record["step"], record["curve.f1"])},
        n_step=run.n_step,
        y=ui.Axis(LABELS["exact_or_f1"], (0, 1.05)),
        height=240,
    )
    ui.add_template_values(n_held=N_HELD, most=tasks.MAX_WORDS)
    if len(source) == 1:
        return
    ui.token_row(
        source,
        key=f"apps-row-{task}-{content_key(' '.join(source))[:12]}",
        values=None if task == "sentiment" else result.marks,
        kind="probability",
        value_title=LABELS["copied"],
        title=LABELS["model_reads"],
        takeaway=ui.section_text("row", n_marked=int(result.marks.sum())),
    )
