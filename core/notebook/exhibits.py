"""The numbers of any exhibit of the app, without the app."""

import importlib
from dataclasses import fields
from typing import Any

from core.data.names import near
from core.rooms import exhibits
from core.train.experiment import module as experiment_module, run_of
from core.train.experiments.live import Live


def run_exhibit(name: str, /, *, experiment_run: Live | None = None, **inputs: object) -> Any:
    """Compute what an exhibit of the app shows, and return its result record; `.table()` gives the rows.

    Args:
        name: room and exhibit as in a lesson, such as "masks.kinds-of-masks"; `python -m core.lessons list` prints all.
        experiment_run: the training run that it computes from, see `run_experiment`; by default the recorded one, if it
            ships with these settings, else it trains one.
        inputs: settings of its controls; the others keep their defaults.

    Raises:
        ValueError: if there is no such exhibit, or a setting is out of range.
        TypeError: if the exhibit has no such setting.
    """
    if name not in exhibits():
        raise ValueError(f"there is no exhibit {name!r}{near(name, exhibits())}")
    module = importlib.import_module(exhibits()[name].module)
    settings = module.Inputs(**inputs)
    experiment = getattr(module, "EXPERIMENT", "") or getattr(module, "TRAINED", "")
    experiment = experiment(settings) if callable(experiment) else experiment
    if not experiment:
        return module.compute(settings)
    if experiment_run is None:
        options = ["seed", *(option.name for option in fields(experiment_module(experiment).Options))]
        experiment_run = run_of(
            experiment, **{one: getattr(settings, one) for one in options if hasattr(settings, one)}
        )
    return module.compute(settings, experiment_run)
