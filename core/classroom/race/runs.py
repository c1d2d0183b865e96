"""The runs of a race: they stand in the line of all runs, one owner for each racer, and go when the class does."""

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
    """All runs of this machine; those created here count as `sender`'s, as those of an address do."""
    return _store(str(data_dir()), sender)


@lru_cache(maxsize=16)
def _store(folder: str, sender: str) -> Store:
    return Store(
        Path(folder) / "runs",
        examine=lambda recipe: admit(recipe, vocabulary(recipe)),
        sender=lambda: sender,
    )


def begin(code: str, race: Race, racer: str, settings: Settings) -> str:
    """Put a run in line, where a class counts as one address does; its id.

    Raises ValueError, in plain words, where the machine has no room.
    """
    return jobs(_group(code)).create(
        f"{_group(code)}{race.n}-{racer}", plan(race, settings).recipe, race.seed, f"Race {race.n}"
    )


def runs_of(code: str) -> dict[str, RunInfo]:
    """All runs of a class."""
    return {run.id: run for run in jobs().of_group(_group(code))}


def losses(run: RunInfo) -> Sequence[tuple[int, float]]:
    """The losses measured in a run so far: (step, nats per token) on the hidden part."""
    return jobs().val_losses(run.id) if run.active else _kept(run.id, run.state)


@lru_cache(maxsize=2048)
def _kept(run_id: str, _state: str) -> Sequence[tuple[int, float]]:
    """The losses of a run that is over: they are requested twice a second, and do not change."""
    return jobs().val_losses(run_id)


def stop(code: str) -> None:
    """End what still runs or waits."""
    for run in jobs().of_group(_group(code)):
        if run.active:
            jobs().request(run.id, run.owner, "stop")


def forget(code: str) -> None:
    """Delete all runs of a class."""
    if (data_dir() / "runs").is_dir():
        for run in jobs().of_group(_group(code)):
            jobs().delete(run.id, run.owner)


def _group(code: str) -> str:
    """The prefix of the owners of a class's runs; no browser's owner has it."""
    return f"class-{code}-"
