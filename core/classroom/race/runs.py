"""The runs of a race: they join the queue of all runs, with one owner per racer, and are deleted with the class."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from core.classroom.race.plan import plan, vocabulary
from core.classroom.race.settings import Settings
from core.classroom.state import Race
from core.data.files import data_dir
from core.jobs.admission import admit
from core.jobs.runs import RunInfo
from core.jobs.store import Store


def jobs(sender: str = "") -> Store:
    """Return the store of all runs; new ones count towards `sender`, in place of an address."""
    return _store(str(data_dir()), sender)


@lru_cache(maxsize=16)
def _store(folder: str, sender: str) -> Store:
    return Store(
        Path(folder) / "runs",
        examine=lambda recipe: admit(recipe, vocabulary(recipe)),
        sender=lambda: sender,
    )


def begin(code: str, race: Race, racer: str, settings: Settings) -> str:
    """Queue a run and return its id. For limits, a class counts as one address.

    Raises ValueError: if the machine has no room.
    """
    return jobs(_group(code)).create(
        f"{_group(code)}{race.n}-{racer}", plan(race, settings).recipe, race.seed, f"Race {race.n}"
    )


def runs_of(code: str) -> dict[str, RunInfo]:
    """Return all runs of a class, by id."""
    return {run.id: run for run in jobs().of_group(_group(code))}


def losses(run: RunInfo) -> Sequence[tuple[int, float]]:
    """Return the losses measured in a run so far: (step, nats per token) on the held-out part."""
    return jobs().val_losses(run.id) if run.active else _kept(run.id, run.state)


@lru_cache(maxsize=2048)
def _kept(run_id: str, _state: str) -> Sequence[tuple[int, float]]:
    """Return the losses of a run that is over, cached because they are read twice a second and don't change."""
    return jobs().val_losses(run_id)


def stop(code: str) -> None:
    """Stop a class's runs that are still running or queued."""
    for run in jobs().of_group(_group(code)):
        if run.active:
            jobs().request(run.id, run.owner, "stop")


def forget(code: str) -> None:
    """Delete all runs of a class."""
    if (data_dir() / "runs").is_dir():
        for run in jobs().of_group(_group(code)):
            jobs().delete(run.id, run.owner)


def _group(code: str) -> str:
    """Return the prefix of the owners of a class's runs; no browser's owner has it."""
    return f"class-{code}-"
