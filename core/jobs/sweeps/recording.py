"""A sweep recorded as a file that ships: what a page shows before anybody has made one of their own."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.jobs.reporter import StoreReporter
from core.jobs.runs import JobSpec, RunInfo
from core.jobs.sweeps.store import Sweep, Sweeps
from core.jobs.worker import STATE_AFTER, explain, run_job
from core.train.run import TrainingDiverged

ID = "example"
KEPT = ("state", "step", "n_step", "n_parameter", "seconds", "seed")  # of each run
Curves = Mapping[str, Sequence[tuple[int, float]]]


def record(begin: Callable[[Sweeps], str]) -> dict[str, Any]:
    """Train a sweep here, one run after the other, as a worker would; its curves are rounded to what can be seen.

    Args:
        begin: queues it, and returns its id.
    """
    with tempfile.TemporaryDirectory() as folder:
        sweeps = Sweeps(Path(folder))
        sweep_id = begin(sweeps)
        train_all(sweeps)
        runs, curves = sweeps.runs_of(sweep_id), sweeps.curves_of(sweep_id)
        return {
            "rungs": sweeps.sweep(sweep_id).rungs,
            "runs": [[_short(getattr(run, name)) for name in KEPT] for run in runs],
            "curves": [[(step, _short(loss, 4)) for step, loss in curves.get(run.id, [])] for run in runs],
        }


def train_all(sweeps: Sweeps) -> None:
    """Train whatever is queued, here and now."""
    while claimed := sweeps.claim():
        info = sweeps.begin(*claimed, pid=0)
        reporter = StoreReporter(sweeps, *claimed, info.seconds, lambda: False)
        spec = JobSpec(info.recipe, info.seed, sweeps.folder(info.id), device="cpu", until=info.until)
        state, message = "failed", ""
        try:
            state = STATE_AFTER[run_job(spec, reporter)]
        except TrainingDiverged as error:
            message = explain(error)
        reporter.flush()
        sweeps.leave(*claimed, state, message, step=None if message else reporter.step)


def _short(value: Any, digits: int = 2) -> Any:
    return round(value, digits) if isinstance(value, float) else value


def replay(told: Mapping[str, Any], name: str, about: Mapping[str, Any]) -> tuple[Sweep, list[RunInfo], Curves]:
    """A recorded sweep, its runs and their curves, as the store gives those of any other."""
    levels = tuple((steps, n_run) for steps, n_run in told["rungs"])
    sweep = Sweep(id=ID, owner="", name=name, rungs=levels, about=about, created=0.0)
    empty: dict[str, Any] = dict.fromkeys(RunInfo.__dataclass_fields__)
    runs = [RunInfo(**empty | dict(zip(KEPT, row, strict=True)) | {"id": str(n)}) for n, row in enumerate(told["runs"])]
    return sweep, runs, {str(n): [(step, loss) for step, loss in curve] for n, curve in enumerate(told["curves"])}
