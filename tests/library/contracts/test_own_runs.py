"""A run of the learner's is what a lesson means only if it was trained with the options that the lesson means.

That no answer and no exhibit of any lesson looks at another one: `tests/pages/test_lessons.py`, on its way through all.
"""

import dataclasses
from typing import Any

import pytest

from core.train import experiment
from core.ui.training import live_experiments
from tests.other_runs import finished, train_all


@pytest.mark.parametrize("name", experiment.EXPERIMENTS)
def test_a_run_is_what_a_lesson_means_only_with_all_of_its_options(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, default = train_all(monkeypatch), experiment.parse_experiment_options(name, {})
    monkeypatch.setattr(live_experiments, "_of_run", lambda run: run)
    monkeypatch.setattr(live_experiments, "_requested_options", lambda name: None)
    for option in dataclasses.fields(default):
        changed = {option.name: _other(getattr(default, option.name))}
        runs[name] = finished(name, **changed)
        assert (
            live_experiments.own_experiment_run(name, {}) is None
            and live_experiments.own_experiment_run(name, changed) is runs[name]
        )
        assert live_experiments.shown_run(name) is runs[name]  # as in its room
        for trains in (frozenset[str](), frozenset({name})):
            with live_experiments.use_shipped_runs(trains):
                assert live_experiments.shown_run(name).is_example  # type: ignore[union-attr]
    runs[name] = finished(name)
    with live_experiments.use_shipped_runs(frozenset({name})):
        assert live_experiments.shown_run(name) is live_experiments.own_experiment_run(name, {}) is runs[name]


def _other(value: Any) -> Any:
    if isinstance(value, tuple):
        return value[1:]
    return not value if isinstance(value, bool) else f"{value}?" if isinstance(value, str) else value + 1
