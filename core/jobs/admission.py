"""Admission of runs: their cost is estimated, and too costly ones are refused, before anything is queued."""

import math
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.jobs.runs import is_experiment_spec

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
        raise ValueError(f"The seed must be a whole number from 0 to {MAX_SEED}, not {str(seed)[:30]}.")
    return int(number)


def check_address_quota(n_waiting: int, n_byte: int, n_sweep: int = 0) -> None:
    """Raise ValueError if the requesting address has too many waiting runs, stored bytes or sweeps for another."""
    if n_waiting >= MAX_WAITING_OF_ADDRESS:
        raise ValueError(
            f"{n_waiting} runs from your network are waiting, and the limit is {MAX_WAITING_OF_ADDRESS}. Try again "
            "when some of them have started."
        )
    if n_byte >= QUOTA_BYTES_OF_ADDRESS:
        raise ValueError(
            f"The runs from your network fill {n_byte / 1e6:.0f} MB, and the limit is "
            f"{QUOTA_BYTES_OF_ADDRESS / 1e6:.0f} MB. Delete some that nobody needs any longer."
        )
    if n_sweep >= MAX_SWEEPS_OF_ADDRESS:
        raise ValueError(
            f"{n_sweep} sweeps from your network are kept, and the limit is {MAX_SWEEPS_OF_ADDRESS}. Delete one first."
        )


def check_run_quota(n_waiting: int, n_run: int, n_byte: int, folder: Path) -> None:
    """Check that an owner with `n_run` runs, of which `n_waiting` are queued, may have another and the disk has room.

    Raises ValueError: with the number reached, the limit and what to do about it.
    """
    if n_waiting >= MAX_WAITING:
        raise ValueError(f"You have {n_waiting} runs waiting, and the limit is {MAX_WAITING}. Stop one first.")
    if n_run >= MAX_RUNS:
        raise ValueError(f"You keep {n_run} runs, and the limit is {MAX_RUNS}. Delete some you no longer need.")
    if n_byte >= QUOTA_BYTES:
        raise ValueError(
            f"Your runs fill {n_byte / 1e6:.0f} MB, and the limit is {QUOTA_BYTES / 1e6:.0f} MB. Delete some you no "
            "longer need."
        )
    free = shutil.disk_usage(folder).free
    if free < FREE_FLOOR_BYTES:
        raise ValueError(
            f"The disk has only {free / 1e6:.0f} MB left, and training keeps {FREE_FLOOR_BYTES / 1e6:.0f} MB free. "
            "Free up some space first."
        )
