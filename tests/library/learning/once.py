"""Experiments in tests: run through, and one training for all tests that look at it."""

from functools import cache
from typing import Any

from core.train import experiment
from core.train.device import one_thread


@cache
def trained(name: str, seed: int, **options: Any) -> experiment.Record:
    """The record after the last step.

    With seed 0 and no options it is the example that ships: that it is what the code makes now is tested where it is
    shown.
    """
    if seed == 0 and not options:
        shipped, about = experiment.unpack((experiment.EXAMPLES / f"{name}.safetensors").read_bytes())
        assert (about["seed"], about["step"]) == (0, about["n_step"])
        return shipped
    return ran(name, seed, **options)


def ran(name: str, seed: int, **options: Any) -> experiment.Record:
    """The record after the last step, trained anew."""
    with one_thread():
        running = experiment.start(name, options, seed)
        while running.step < running.n_step:
            running.advance()
    return running.record()
