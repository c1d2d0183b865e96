"""The three models of the experiment "explanation": they have learned what "it" is, alike but for their seeds."""

from typing import Any

from core.train.experiment import rebuild
from core.train.experiments.live import Live
from core.train.experiments.naming import config

MODELS = ("a", "b", "c")


def model_of(run: Live, name: str) -> Any:
    """One of them, frozen."""
    return rebuild(run.record, name, config(n_head=int(run.options["n_head"])))
