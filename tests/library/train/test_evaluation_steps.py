"""The steps at which a run is evaluated."""

from typing import Any

import pytest

from core.train import experiment
from core.train.experiments.base import Experiment, _evaluation_steps


@pytest.mark.parametrize("n_step", [1, 7, 45, 1_000])
@pytest.mark.parametrize("bend", [1.0, 1.5, 1.6])
def test_they_rise_and_end_with_the_last_step(n_step: int, bend: float) -> None:
    found = _evaluation_steps(n_step, 24, bend)
    assert found[-1] == n_step and found[0] >= 1 and len(found) <= 24
    assert found == sorted(set(found))


def test_they_are_even_or_closer_together_at_first() -> None:
    assert _evaluation_steps(100, 4, 1.0) == [25, 50, 75, 100] and _evaluation_steps(100, 4) == [12, 35, 65, 100]
    assert len(_evaluation_steps(1_000, 24)) == 24


def test_a_new_run_is_evaluated_at_the_steps_of_the_shipped_record() -> None:
    """Catches an experiment whose number of evaluations is under a name that its base doesn't read."""
    for name in experiment.EXPERIMENTS:
        kind = experiment._experiment_class(name)
        if kind.eval_steps is not Experiment.eval_steps:  # it finds the steps as it trains
            continue
        record, about = experiment.unpack_record((experiment.EXAMPLE_FOLDER / f"{name}.safetensors").read_bytes())
        made: Any = object.__new__(kind)
        made.n_step = about["n_step"]
        assert {*record["step"].tolist()} - {0} == {*made.eval_steps()} - {0}, name
