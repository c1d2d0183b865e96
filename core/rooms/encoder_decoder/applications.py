"""Four applications of one small model: a summary, an answer, names, a verdict, all of them written word by word."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import content_key, seed, segmented, text_area
from core.generate.seq2seq import greedy
from core.rooms.encoder_decoder.compute import applications as tasks
from core.rooms.encoder_decoder.compute import stories
from core.rooms.encoder_decoder.compute.applications import TASKS, Pair
from core.rooms.encoder_decoder.experiments.applications import N_HELD, NAMES, Applications, model_of, written
from core.train.experiments.live import Live

EXPERIMENT = "applications"
KIND = {"person": "a person", "place": "a place", "organization": "an organization"}
CODE = (tasks.draw, Applications, tasks.f1, greedy)


def tell(task: str, name: str, typed: str, _: Any) -> None:
    """Say which words the texts of a task do not have."""
    unknown, then = tasks.read(task, typed)[1], "No text of this task has them, so they are left out."
    ui.tell_words(unknown, name, typed, tasks.known(task), then)


def asks(task: str) -> dict[str, Any]:
    """How a text for a task is asked for."""
    how = {"max_chars": 240, "height": 80, "notes": partial(tell, task)}
    return {**how, "when": lambda i: i.task == task}


class Inputs(Base, prefix="apps_"):
    """What is trained, and a text for one of the tasks."""

    seed: int = seed()
    task: str = segmented("Task", NAMES, "summarize")
    summarize: str = text_area(
        "Your story, a small one",
        "mia was tired. ben went to the river. the sun was warm. there he lost a drum.",
        **asks("summarize"),
    )
    question: str = text_area(
        "Your story, and a question at its end",
        "mia was tired. ben went to the river. the sun was warm. there he lost a drum. where was it?",
        **asks("question"),
    )
    entities: str = text_area("Your sentence, with names", "paris flew to jordan with john austin.", **asks("entities"))
    sentiment: str = text_area(
        "Your review of a restaurant", "The soup was lovely but the waiter was rude.", **asks("sentiment")
    )


@dataclass(frozen=True)
class Result:
    """The training as far as it is, and what the model writes to a text."""

    run: Live
    task: str
    source: tuple[str, ...]  # the task's name, then the words that it knows; `answer`: empty where it knows none
    answer: tuple[str, ...]

    @property
    def step(self) -> int:
        """Of the newest measurement."""
        return int(self.run.record["step"][-1])

    @property
    def shares(self) -> dict[str, float]:
        """Task, as it is called -> share of texts that are right word for word."""
        exact = self.run.record["curve.exact"][-1].tolist()
        return {NAMES[task]: share for task, share in zip(TASKS, exact, strict=True)}

    @property
    def f1(self) -> float:
        """Of the entities."""
        return float(self.run.record["curve.f1"][-1])

    @property
    def said(self) -> str:
        """The answer as a text."""
        return " ".join(self.answer)

    @property
    def entities(self) -> list[tuple[str, str]]:
        """Names of the answer, and what they are."""
        return [(" ".join(words), KIND[kind]) for kind, *words in tasks.entities_in(self.answer).elements()]

    @property
    def span(self) -> tuple[int, int] | None:
        """Where the answer stands in the text; None if it does not."""
        return stories.find(self.answer, self.source[1:])

    @property
    def marks(self) -> NDArray[np.float64]:
        """(S,) 1 for words that were written again."""
        marks = np.zeros(len(self.source))
        if self.task == "question" and self.span is not None:
            marks[1 + self.span[0] : 1 + self.span[1]] = 1
        elif self.task in ("summarize", "entities"):
            names = {*self.answer} - {*KIND, "a", "the", "at", "."}
            marks[1:] = [word in names for word in self.source[1:]]
        return marks

    def table(self) -> dict[str, list[float]]:
        """Shares of answers that are right as a whole, task by task, and F1 of the entities, step by step."""
        record = self.run.record
        exact = {NAMES[task]: record["curve.exact"][:, i].tolist() for i, task in enumerate(TASKS)}
        return {"step": record["step"].tolist(), **exact, "F1 of the entities": record["curve.f1"].tolist()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The record, and the ids of text and answer."""
        ids = {"source": self.source, "answer": self.answer} if self.answer else {}
        return {**self.run.record, **{name: np.array(tasks.encode(words)) for name, words in ids.items()}}


def compute(inputs: Inputs, run: Live) -> Result:
    """The record, and the model's answer to the text."""
    source, _ = tasks.read(inputs.task, getattr(inputs, inputs.task))
    answer = written(model_of(run), [Pair(source, ())])[0] if len(source) > 1 else ()
    return Result(run, inputs.task, source, answer)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The curves, and the model's answer to a text of the learner's own."""
    record, task, source = run.record, result.task, result.source
    curves = {NAMES[one]: (record["step"], record["curve.exact"][:, i]) for i, one in enumerate(TASKS)}
    ui.curves(
        {**curves, "F1 of the entities": (record["step"], record["curve.f1"])},
        n_step=run.n_step,
        y=ui.Axis("share right as a whole, or F1", (0, 1.05)),
        height=190,
        alt=ui.words("alt"),
    )
    ui.say("shares", n_held=N_HELD)
    if len(source) == 1:
        ui.say("empty")
        return
    if len(source) > tasks.MOST_WORDS:
        ui.say("long", most=tasks.MOST_WORDS)
    ui.token_row(
        source,
        key=f"apps-row-{task}-{content_key(' '.join(source))[:12]}",
        values=None if task == "sentiment" else result.marks,
        kind="probability",
        value_title="copied",
        title="What the model reads",
        takeaway=ui.words("row", n_marked=int(result.marks.sum())),
    )
    ui.say("names" if task == "entities" else "answer")
    if task == "question" and result.span is None:
        ui.say("not-copied")
