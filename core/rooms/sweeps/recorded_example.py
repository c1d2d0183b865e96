"""The sweep that stands there before anybody has made one, recorded by the same code that runs any other.

    python -m core.rooms.sweeps.recorded_example      some minutes; writes assets/rooms/sweeps/example.json

Its curves are rounded to what a picture can show.
"""

import json
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from core.data.files import write_atomic
from core.jobs.runs import JobSpec, RunInfo
from core.jobs.sweeps.store import Sweep, Sweeps
from core.rooms.sweeps.asked import Asked, begin
from core.ui.training.choices import Choice

ID = "example"
FILE = Path(__file__).resolve().parents[3] / "assets" / "rooms" / "sweeps" / "example.json"
ASKED = Asked(
    base=Choice(corpus="python-topics", n_layer=2, n_head=4, d_model=64, context_length=32, n_step=320, batch_size=16),
    values={
        "optimizer": ("fast", "adamw"),
        "d_model": (16, 32, 64, 128),
        "learning_rate": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3),
    },
)
KEPT = ("state", "step", "n_step", "n_parameter", "seconds", "seed")
Curves = Mapping[str, Sequence[tuple[int, float]]]


@cache
def read() -> tuple[Sweep, list[RunInfo], Curves]:
    """The sweep, its runs and their curves, as the store gives those of any other."""
    told = json.loads(FILE.read_bytes())
    levels = tuple((steps, n_run) for steps, n_run in told["rungs"])
    sweep = Sweep(id=ID, owner="", name=ASKED.name, rungs=levels, about=ASKED.about(), created=0.0)
    empty: dict[str, Any] = dict.fromkeys(RunInfo.__dataclass_fields__)
    runs = [RunInfo(**empty | dict(zip(KEPT, row, strict=True)) | {"id": str(n)}) for n, row in enumerate(told["runs"])]
    return sweep, runs, {str(n): [(step, loss) for step, loss in curve] for n, curve in enumerate(told["curves"])}


def record() -> dict[str, Any]:
    """Train it, one run after the other."""
    from core.data import corpora
    from core.jobs.reporter import StoreReporter
    from core.jobs.worker import STATE_AFTER, run_job
    from core.ui.training.cost import count_tokens

    with tempfile.TemporaryDirectory() as folder:
        sweeps = Sweeps(Path(folder))
        vocab_size = count_tokens(ASKED.base.corpus, ASKED.base.tokenizer, ASKED.base.vocab)[0]
        sweep_id = begin(sweeps, "", ASKED, corpora.title(ASKED.base.corpus), vocab_size)
        while claimed := sweeps.claim():
            info = sweeps.begin(*claimed, pid=0)
            reporter = StoreReporter(sweeps, *claimed, info.seconds, lambda: False)
            spec = JobSpec(info.recipe, info.seed, sweeps.folder(info.id), device="cpu", until=info.until)
            outcome = run_job(spec, reporter)
            reporter.flush()
            sweeps.leave(*claimed, STATE_AFTER[outcome], step=reporter.step)
        runs, curves = sweeps.runs_of(sweep_id), sweeps.curves_of(sweep_id)
        return {
            "rungs": sweeps.sweep(sweep_id).rungs,
            "runs": [
                [round(v, 2) if isinstance(v := getattr(run, name), float) else v for name in KEPT] for run in runs
            ],
            "curves": [[(step, round(loss, 4)) for step, loss in curves[run.id]] for run in runs],
        }


if __name__ == "__main__":
    write_atomic(FILE, json.dumps(record(), separators=(",", ":")).encode())
