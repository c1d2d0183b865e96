"""Admission of runs: their cost is estimated, and too costly ones are refused, before anything is queued."""

import math
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.data.localization.labels import module_labels
from core.jobs.runs import is_experiment_spec

LABELS = module_labels(__name__)

QUOTA_BYTES = 200_000_000  # that one owner's runs may take on disk
FREE_FLOOR_BYTES = 1_000_000_000  # that must stay free for everybody else
MAX_WAITING = 20  # queued runs of one owner
MAX_RUNS = 300  # stored runs of one owner
MAX_SWEEPS = 5  # stored sweeps of one owner
# Limits of one address; a school has a single one, so a whole class may come from it.
MAX_WAITING_OF_ADDRESS = 120
QUOTA_BYTES_OF_ADDRESS = 6_000_000_000
MAX_SWEEPS_OF_ADDRESS = 30
KEPT_DAYS = 180  # that a run is stored after its end, on a server for others
MAX_SWEEP_RUNS = 500
MAX_SWEEP_SECONDS = 12 * 3600  # of one core
MAX_SEED = 2**31 - 1


@dataclass(frozen=True)
class AdmittedRun:
    """The facts about a run that the store needs before it starts; `seconds`: of a recipe, on one core here."""

    title: str
    n_step: int
    n_parameter: int
    seconds: float = 0.0


def check_recipe_cost(recipe: dict[str, object], vocab_size: int | None = None) -> AdmittedRun:
    """Check a recipe and its estimated cost, or the options of an experiment, whose limits bound its cost.

    If the size of the recipe's vocabulary is not given, its tokenizer is trained to find out.

    Raises ValueError: if something about the recipe is wrong or too large; the message says what.
    """
    # Imported here: these reach torch, and pages read runs without it.
    from core.train.estimate import estimate_cost
    from core.train.recipes import Recipe

    if is_experiment_spec(recipe):
        return _admit_experiment(recipe)
    parsed = Recipe.for_browser(recipe)
    cost = estimate_cost(parsed, vocab_size)
    if cost.refused:
        raise ValueError(cost.refused)
    return AdmittedRun(parsed.title, parsed.n_step, cost.n_parameter, cost.seconds)


def _admit_experiment(spec: dict[str, Any]) -> AdmittedRun:
    from core.train import experiment
    from core.train.experiments.base import check_visitor_limits

    name, options = spec["experiment"], spec.get("options")
    made = experiment.parse_experiment_options(name, options if isinstance(options, dict) else {})
    check_visitor_limits(made)
    return AdmittedRun(title=experiment.experiment_title(name), n_step=made.n_step, n_parameter=0)


def check_seed(seed: int) -> int:
    """Return the seed as a plain int. Raises ValueError if it isn't a whole number from 0 to 2147483647."""
    number = seed if isinstance(seed, (int, float)) and math.isfinite(seed) else -1
    if isinstance(seed, bool) or number != int(number) or not 0 <= number <= MAX_SEED:
        raise ValueError(LABELS("seed", most=MAX_SEED, given=str(seed)[:30]))
    return int(number)


def check_address_quota(n_waiting: int, n_byte: int, n_sweep: int = 0) -> None:
    """Raise ValueError if the requesting address has too many waiting runs, stored bytes or sweeps for another."""
    if n_waiting >= MAX_WAITING_OF_ADDRESS:
        raise ValueError(LABELS("network_waiting", n_waiting=n_waiting, most=MAX_WAITING_OF_ADDRESS))
    if n_byte >= QUOTA_BYTES_OF_ADDRESS:
        raise ValueError(LABELS("network_full", megabytes=n_byte / 1e6, most=QUOTA_BYTES_OF_ADDRESS / 1e6))
    if n_sweep >= MAX_SWEEPS_OF_ADDRESS:
        raise ValueError(LABELS("network_sweeps", n_sweep=n_sweep, most=MAX_SWEEPS_OF_ADDRESS))


def check_run_quota(n_waiting: int, n_run: int, n_byte: int, folder: Path) -> None:
    """Check that an owner with `n_run` runs, of which `n_waiting` are queued, may have another and the disk has room.

    Raises ValueError: with the number reached, the limit and what to do about it.
    """
    if n_waiting >= MAX_WAITING:
        raise ValueError(LABELS("too_many_waiting", n_waiting=n_waiting, most=MAX_WAITING))
    if n_run >= MAX_RUNS:
        raise ValueError(LABELS("too_many_runs", n_run=n_run, most=MAX_RUNS))
    if n_byte >= QUOTA_BYTES:
        raise ValueError(LABELS("runs_full", megabytes=n_byte / 1e6, most=QUOTA_BYTES / 1e6))
    free = shutil.disk_usage(folder).free
    if free < FREE_FLOOR_BYTES:
        raise ValueError(LABELS("disk_full", megabytes=free / 1e6, least=FREE_FLOOR_BYTES / 1e6))
