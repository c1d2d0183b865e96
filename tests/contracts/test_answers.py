"""Whatever a learner has trained meanwhile, the answers and the exhibits of lessons are those that the texts mean."""

import dataclasses
from typing import Any

import pytest

from core.lessons import done, shelf
from core.lessons.answers import ANSWERS, Answer, NotYet
from core.lessons.forms import fits
from core.lessons.lesson import Predict
from core.train import experiment
from core.ui import live
from tests.other_runs import finished, shorter, train_all

LONG = {  # some seconds each
    "pixels.untrained-probe",
    "pixels.who-depends",
    "slips.first-loss",
    "tokens.by-doubling",
    "translation.more-beams",
    "vision.empty-patches",
}
QUESTIONS = [
    pytest.param(
        part,
        done.trained_in([step]),
        id=f"{slug} {number} {part.answer}",
        marks=[pytest.mark.full] * (part.answer in LONG),
    )
    for slug, lesson in shelf.lessons().items()
    for number, step in enumerate(lesson.steps, 1)
    for part in step.parts
    if isinstance(part, Predict) and part.answer
]


@pytest.mark.slow
@pytest.mark.parametrize(("question", "trains"), QUESTIONS)
def test_no_answer_comes_from_a_training_with_other_options(
    question: Predict, trains: frozenset[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lesson 13 ends by training patches of 4 x 4; opened again, its explanations of 16 patches stood beside four."""
    assert question.answer is not None
    train_all(monkeypatch).update({name: shorter(name) for name in experiment.EXPERIMENTS})
    came = ANSWERS[question.answer](**question.given)
    if trains and isinstance(came, NotYet):
        return  # it waits for the training that it means
    assert isinstance(came, Answer) and fits(question.form, came.value)


@pytest.mark.parametrize("name", experiment.EXPERIMENTS)
def test_a_run_is_what_a_lesson_means_only_with_all_of_its_options(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, default = train_all(monkeypatch), experiment.options_of(name, {})
    monkeypatch.setattr(live, "_of_run", lambda run: run)
    monkeypatch.setattr(live, "_asked", lambda name: None)
    for option in dataclasses.fields(default):
        changed = {option.name: _other(getattr(default, option.name))}
        runs[name] = finished(name, **changed)
        assert live.own(name, {}) is None and live.own(name, changed) is runs[name]
        assert live.current(name) is runs[name]  # as in its room
        for trains in (frozenset[str](), frozenset({name})):
            with live.pinned(trains):
                assert live.current(name).is_example  # type: ignore[union-attr]
    runs[name] = finished(name)
    with live.pinned(frozenset({name})):
        assert live.current(name) is live.own(name, {}) is runs[name]


def _other(value: Any) -> Any:
    return not value if isinstance(value, bool) else f"{value}?" if isinstance(value, str) else value + 1
