"""The numbers of any exhibit of the app, without the app."""

import importlib
from dataclasses import fields
from typing import Any

from core.data.localization.labels import module_labels
from core.data.name_suggestions import suggest_names
from core.rooms import all_exhibits
from core.train.experiment import experiment_module, run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)


def run_exhibit(name: str, /, *, experiment_run: ExperimentRun | None = None, **inputs: object) -> Any:
    """Compute what an exhibit of the app shows, and return its result record; `.table()` gives the rows.

    Args:
        name: room and exhibit as in a lesson, such as "masks.kinds-of-masks"; `python -m core.lessons list` prints all.
        experiment_run: the training run that it computes from, see `run_experiment`; by default the recorded one, if it
            ships with these settings, else it trains one.
        inputs: settings of its controls; the others keep their defaults.

    Raises:
        ValueError: if there is no such exhibit, or a setting is out of range.
        TypeError: if the exhibit has no such setting, or computes from no run.
    """
    if name not in all_exhibits():
        hint = suggest_names(name, all_exhibits()) or f" {LABELS['all_names']}"
        raise ValueError(LABELS("no_exhibit", name=repr(name), hint=hint))
    module = importlib.import_module(all_exhibits()[name].module)
    known = [setting for setting, _ in module.Inputs.controls()]
    if unknown := [setting for setting in inputs if setting not in known]:
        hint = suggest_names(unknown[0], known) or " " + LABELS("settings", names=", ".join(known))
        raise TypeError(LABELS("no_setting", name=name, setting=repr(unknown[0]), hint=hint))
    settings = module.Inputs(**inputs)
    experiment = getattr(module, "EXPERIMENT", "") or getattr(module, "TRAINED", "")
    experiment = experiment(settings) if callable(experiment) else experiment
    if not experiment and experiment_run is not None:
        raise TypeError(LABELS("no_training_run", name=name))
    if not experiment:
        return module.compute(settings)
    if experiment_run is None:
        options = ["seed", *(option.name for option in fields(experiment_module(experiment).Options))]
        experiment_run = run_experiment(
            experiment, **{one: getattr(settings, one) for one in options if hasattr(settings, one)}
        )
    return module.compute(settings, experiment_run)
