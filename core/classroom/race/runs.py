"""The runs of a race: they join the queue of all runs, with one owner per racer, and are deleted with the class."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from core.classroom.race.plan import plan_race_run, race_vocab_size
from core.classroom.race.race_settings import RacerSettings
from core.classroom.state import ClassRace
from core.data.files import data_dir
from core.data.localization.labels import module_labels
from core.jobs.admission import check_recipe_cost
from core.jobs.runs import RunInfo
from core.jobs.store import RunStore

LABELS = module_labels(__name__)


def race_run_store(sender: str = "") -> RunStore:
    """Return the store of all runs; new ones count towards `sender`, in place of an address."""
    return _store(str(data_dir()), sender)


@lru_cache(maxsize=16)
def _store(folder: str, sender: str) -> RunStore:
    return RunStore(
        Path(folder) / "runs",
        examine=lambda recipe: check_recipe_cost(recipe, race_vocab_size(recipe)),
        sender=lambda: sender,
    )


def queue_race_run(code: str, race: ClassRace, racer: str, settings: RacerSettings) -> str:
    """Queue a run and return its id. For limits, a class counts as one address.

    Raises ValueError: if the machine has no room.
    """
    return race_run_store(_group(code)).create(
        f"{_group(code)}{race.n}-{racer}", plan_race_run(race, settings).recipe, race.seed, LABELS("race", n=race.n)
    )


def class_race_runs(code: str) -> dict[str, RunInfo]:
    """Return all runs of a class, by id."""
    return {run.id: run for run in race_run_store().of_group(_group(code))}


def race_run_losses(run: RunInfo) -> Sequence[tuple[int, float]]:
    """Return the losses measured in a run so far: (step, nats per token) on the held-out part."""
    return race_run_store().val_losses(run.id) if run.active else _kept(run.id, run.state)


@lru_cache(maxsize=2048)
def _kept(run_id: str, _state: str) -> Sequence[tuple[int, float]]:
    """Return the losses of a run that is over, cached because they are read twice a second and don't change."""
    return race_run_store().val_losses(run_id)


def stop_race_runs(code: str) -> None:
    """Stop a class's runs that are still running or queued."""
    for run in race_run_store().of_group(_group(code)):
        if run.active:
            race_run_store().request(run.id, run.owner, "stop")


def delete_race_runs(code: str) -> None:
    """Delete all runs of a class."""
    if (data_dir() / "runs").is_dir():
        for run in race_run_store().of_group(_group(code)):
            race_run_store().delete(run.id, run.owner)


def _group(code: str) -> str:
    """Return the prefix of the owners of a class's runs; no browser's owner has it."""
    return f"class-{code}-"
