"""The door: what a run will cost is worked out, and refused in plain words, before anything is queued."""

import math
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.jobs.runs import is_experiment

QUOTA_BYTES = 200_000_000  # what one owner's runs may keep on disk
FREE_FLOOR_BYTES = 1_000_000_000  # what must stay free for everybody else
MAX_WAITING = 20  # queued runs of one owner
MAX_RUNS = 300  # runs of one owner that are kept at all
MAX_SWEEPS = 5  # of one owner that are kept
# Of one address; a school has one, so all of a class may come from it.
MAX_WAITING_OF_ADDRESS = 120
QUOTA_BYTES_OF_ADDRESS = 6_000_000_000
MAX_SWEEPS_OF_ADDRESS = 30
KEPT_DAYS = 180  # after its end, of a run on a server for others
MAX_SWEEP_RUNS = 500
MAX_SWEEP_SECONDS = 12 * 3600  # of one core
MAX_SEED = 2**31 - 1


@dataclass(frozen=True)
class Admission:
    """What the store has to know of a run before it starts; seconds on one core of this machine, of a recipe's."""

    title: str
    n_step: int
    n_parameter: int
    seconds: float = 0.0


def admit(recipe: dict[str, object], vocab_size: int | None = None) -> Admission:
    """Checks a recipe and its estimated cost, or the options of an experiment, whose limits bound its cost.

    Where the size of the recipe's vocabulary is not given, its tokenizer is trained to find out.

    Raises ValueError: plain words on what is wrong with the recipe or too large about it.
    """
    # Imported here: these reach torch, and pages read runs without it.
    from core.train.estimate import estimate
    from core.train.recipes import Recipe

    if is_experiment(recipe):
        return _admit_experiment(recipe)
    parsed = Recipe.for_browser(recipe)
    cost = estimate(parsed, vocab_size)
    if cost.refused:
        raise ValueError(cost.refused)
    return Admission(parsed.title, parsed.n_step, cost.n_parameter, cost.seconds)


def _admit_experiment(spec: dict[str, Any]) -> Admission:
    from core.train import experiment
    from core.train.experiments.base import check_for_browser

    name, options = spec["experiment"], spec.get("options")
    made = experiment.options_of(name, options if isinstance(options, dict) else {})
    check_for_browser(made)
    return Admission(title=experiment.title(name), n_step=made.n_step, n_parameter=0)


def check_seed(seed: int) -> int:
    """The seed as a plain int. Raises ValueError when it is no whole number from 0 to 2147483647."""
    number = seed if isinstance(seed, (int, float)) and math.isfinite(seed) else -1
    if isinstance(seed, bool) or number != int(number) or not 0 <= number <= MAX_SEED:
        raise ValueError(f"The seed must be a whole number from 0 to {MAX_SEED}, not {str(seed)[:30]}.")
    return int(number)


def check_address(n_waiting: int, n_byte: int, n_sweep: int = 0) -> None:
    """Refuses one more run, or sweep, where the address that asks has too many. Raises ValueError in plain words."""
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


def check_room(n_waiting: int, n_run: int, n_byte: int, folder: Path) -> None:
    """Refuses one more run where its owner has too many, of which `n_waiting` are queued, or the disk is too full.

    Raises ValueError with the number reached, the limit and what to do about it.
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
