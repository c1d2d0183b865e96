"""Whatever a learner has trained meanwhile, the answers and the exhibits of lessons are those that the texts mean."""

import dataclasses
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from core.lessons import done, shelf
from core.lessons.answers import ANSWERS, Answer, NotYet
from core.lessons.forms import fits
from core.lessons.lesson import Predict
from core.train import experiment
from core.ui import live

QUESTIONS = [
    pytest.param(part, done.trained_in([step]), id=f"{slug} {number} {part.answer}")
    for slug, lesson in shelf.lessons().items()
    for number, step in enumerate(lesson.steps, 1)
    for part in step.parts
    if isinstance(part, Predict) and part.answer
]
OTHER = {
    int: lambda value: value + 1,
    float: lambda value: value + 0.1,
    bool: lambda value: not value,
    str: lambda value: f"{value}?",
}


def run(name: str, **changed: Any) -> Any:
    """A run of this visitor's, finished, newer than all that ships."""
    options = vars(experiment.options_of(name, {})) | changed
    return SimpleNamespace(id=name, recipe={"experiment": name, "options": options}, seed=0, active=False)


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The newest run of each experiment by name; a look into the record of any is a fault."""
    runs: dict[str, Any] = {}

    def looked_at(run: Any) -> None:
        raise AssertionError(f"the learner's own {run.id} with {run.recipe['options']} was looked at")

    monkeypatch.setattr(live, "_mine", runs.get)
    monkeypatch.setattr(live, "_of_run", looked_at)
    yield runs


@pytest.mark.slow
@pytest.mark.parametrize(("question", "trains"), QUESTIONS)
def test_no_answer_comes_from_a_training_with_other_options(
    question: Predict, trains: frozenset[str], trained: dict[str, Any]
) -> None:
    """Lesson 13 ends by training patches of 4 x 4; opened again, its explanations of 16 patches stood beside four."""
    assert question.answer is not None
    trained |= {name: run(name, n_step=experiment.options_of(name, {}).n_step - 1) for name in experiment.EXPERIMENTS}
    came = ANSWERS[question.answer](**question.given)
    if trains and isinstance(came, NotYet):
        return  # it waits for the training that it means
    assert isinstance(came, Answer) and fits(question.form, came.value)


@pytest.mark.parametrize("name", experiment.EXPERIMENTS)
def test_a_run_is_a_lesson_s_own_only_with_all_the_options_that_it_means(
    name: str, trained: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_of_run", lambda run: run)
    monkeypatch.setattr(live, "_asked", lambda name: None)
    for option in dataclasses.fields(experiment.options_of(name, {})):
        value = getattr(experiment.options_of(name, {}), option.name)
        changed = {option.name: OTHER[type(value)](value)}
        trained[name] = run(name, **changed)
        assert live.own(name, {}) is None and live.own(name, changed) is trained[name]
        assert live.current(name) is trained[name]  # as in its room
        with live.pinned():
            assert live.current(name).is_example  # type: ignore[union-attr]
        with live.pinned(frozenset({name})):
            assert live.current(name).is_example  # type: ignore[union-attr]
    trained[name] = run(name)
    with live.pinned(frozenset({name})):
        assert live.current(name) is live.own(name, {}) is trained[name]
