"""Experiments in tests: run through, and one training for all tests that look at it."""

from functools import cache
from typing import Any

import numpy as np

from core.train import experiment
from core.train.device import single_torch_thread
from core.train.experiments.base import Experiment


@cache
def trained(name: str, seed: int, **options: Any) -> experiment.Record:
    """The record after the last step.

    With seed 0 and no options it is the example that ships: that it is what the code makes now is tested where it is
    shown.
    """
    if seed == 0 and not options:
        shipped, about = experiment.unpack_record((experiment.EXAMPLE_FOLDER / f"{name}.safetensors").read_bytes())
        assert (about["seed"], about["step"]) == (0, about["n_step"])
        return shipped
    return ran(name, seed, **options)


def ran(name: str, seed: int, **options: Any) -> experiment.Record:
    """Train the experiment again and return the record after the last step."""
    with single_torch_thread():
        return finished(experiment.make_experiment(name, options, seed))


def finished(running: Experiment) -> experiment.Record:
    """The record of one that has begun, after its last step."""
    while running.step < running.n_step:
        running.advance()
    return running.record()


def remade(name: str, n_step: int, n_eval: int = 2, atol: float = 0.02, **options: Any) -> None:
    """Check that the example that ships is what the code makes now: its curves up to this step.

    Args:
        n_eval: so many times at least each of them was measured by then.
        atol: another machine may round otherwise.
        options: such as leave the beginning of the training as it is.
    """
    shipped, again = trained(name, 0), experiment.experiment_record(name, until=n_step, **options)
    curves = {key: array for key, array in again.items() if key.startswith("curve")}
    assert curves
    for key, now in curves.items():
        assert len(now) >= n_eval, key
        np.testing.assert_allclose(now, shipped[key][: len(now)], atol=atol, err_msg=key)
