"""The sweep that the page shows before there is any other, recorded by the code that runs all sweeps.

python -m core.rooms.sweeps.recorded_example      some minutes; writes assets/rooms/sweeps/example.json
"""

import json
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from core.data import corpora
from core.data.files import write_atomic
from core.jobs.reporter import StoreReporter
from core.jobs.runs import JobSpec, RunInfo
from core.jobs.sweeps.sweep_store import SweepInfo, SweepStore
from core.jobs.worker import STATE_AFTER, describe_run_fault, run_job
from core.rooms.sweeps.space import SweepRequest, queue_sweep
from core.train.run import TrainingDiverged
from core.ui.training.choices_to_recipe import TrainingChoices
from core.ui.training.cost import tokenized_corpus_size

EXAMPLE_SWEEP_ID = "example"
EXAMPLE_FILE = Path(__file__).resolve().parents[3] / "assets" / "rooms" / "sweeps" / "example.json"
EXAMPLE_REQUEST = SweepRequest(
    base=TrainingChoices(
        corpus="python-topics", n_layer=2, n_head=4, d_model=64, context_length=32, n_step=320, batch_size=16
    ),
    values={
        "optimizer": ("fast", "adamw"),
        "d_model": (16, 32, 64, 128),
        "learning_rate": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3),
    },
)
LossCurves = Mapping[str, Sequence[tuple[int, float]]]
_FIELDS = ("state", "step", "n_step", "n_parameter", "seconds", "seed")  # for each run


@cache
def read_example() -> tuple[SweepInfo, list[RunInfo], LossCurves]:
    """Return the sweep, its runs and their curves, in the form in which the store returns any sweep."""
    told = json.loads(EXAMPLE_FILE.read_bytes())
    rungs = tuple((steps, n_run) for steps, n_run in told["rungs"])
    sweep = SweepInfo(
        id=EXAMPLE_SWEEP_ID,
        owner="",
        name=EXAMPLE_REQUEST.name,
        rungs=rungs,
        about=EXAMPLE_REQUEST.about(),
        created=0.0,
    )
    empty: dict[str, Any] = dict.fromkeys(RunInfo.__dataclass_fields__)
    rows = (dict(zip(_FIELDS, row, strict=True)) for row in told["runs"])
    runs = [RunInfo(**empty | row | {"id": str(n)}) for n, row in enumerate(rows)]
    return sweep, runs, {str(n): [(step, loss) for step, loss in curve] for n, curve in enumerate(told["curves"])}


def export_sweep() -> dict[str, object]:
    """Train the sweep in this process, one run after the other; numbers are rounded to what is visible."""
    title, vocab_size = (
        corpora.corpus_title(EXAMPLE_REQUEST.base.corpus),
        tokenized_corpus_size(EXAMPLE_REQUEST.base.corpus, "char", None)[0],
    )
    with tempfile.TemporaryDirectory() as folder:
        sweeps = SweepStore(Path(folder))
        sweep_id = queue_sweep(sweeps, "", EXAMPLE_REQUEST, title, vocab_size)
        train_queued(sweeps)
        runs, curves = sweeps.runs_of(sweep_id), sweeps.curves_of(sweep_id)
        return {
            "rungs": sweeps.sweep(sweep_id).rungs,
            "runs": [[_short(getattr(run, name)) for name in _FIELDS] for run in runs],
            "curves": [[(step, _short(loss, 4)) for step, loss in curves.get(run.id, [])] for run in runs],
        }


def train_queued(sweeps: SweepStore) -> None:
    """Train all queued runs in this process."""
    while claimed := sweeps.claim():
        info = sweeps.begin(*claimed, pid=0)
        reporter = StoreReporter(sweeps, *claimed, info.seconds, lambda: False)
        spec = JobSpec(info.recipe, info.seed, sweeps.folder(info.id), device="cpu", until=info.until)
        state, message = "failed", ""
        try:
            state = STATE_AFTER[run_job(spec, reporter)]
        except TrainingDiverged as error:
            state, message = describe_run_fault(error)
        reporter.flush()
        sweeps.leave(*claimed, state, message, step=None if message else reporter.step)


def _short(value: object, digits: int = 2) -> object:
    return round(value, digits) if isinstance(value, float) else value


if __name__ == "__main__":
    write_atomic(EXAMPLE_FILE, json.dumps(export_sweep(), separators=(",", ":")).encode())
