"""A learner who has trained everything already, with other options than lessons mean."""

from types import SimpleNamespace
from typing import Any

import pytest

from core.train import experiment
from core.ui.training import live_experiments


def finished(name: str, **changed: Any) -> Any:
    """A run of this visitor's that has ended, newer than what ships."""
    options = vars(experiment.parse_experiment_options(name, {})) | changed
    spec = {"experiment": name, "options": options}
    return SimpleNamespace(id=name, recipe=spec, seed=0, active=False, state="finished")


def shorter(name: str) -> Any:
    """One that was trained for a step less."""
    return finished(name, n_step=experiment.parse_experiment_options(name, {}).n_step - 1)


def train_all(patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The newest run of each experiment by name, none as yet; a look into the record of any is a fault."""
    runs: dict[str, Any] = {}

    def looked_at(run: Any) -> None:
        raise AssertionError(f"the learner's own {run.id} with {run.recipe['options']} was looked at")

    patch.setattr(live_experiments, "_mine", runs.get)
    patch.setattr(live_experiments, "_of_run", looked_at)
    return runs
