"""A supervisor whose jobs need no model: numbers from a seed, a checkpoint of one file, and faults on demand."""

import json
import os
import random
import time
from typing import Any

from core.data.files import write_atomic
from core.jobs.admission import AdmittedRun
from core.jobs.reporter import JobReporter
from core.jobs.runs import JobOutcome, JobSpec
from core.jobs.supervisor import main
from core.train.curve_point import CurvePoint


class TrainingDiverged(Exception):
    """Named like the real one."""


def examine(recipe: dict[str, Any]) -> AdmittedRun:
    return AdmittedRun(title="Counting", n_step=recipe["n_step"], n_parameter=1)


def count(spec: JobSpec, reporter: JobReporter) -> JobOutcome:
    """Each loss depends on all before it, so a curve that was put together wrongly shows."""
    path = spec.folder / "state.json"
    state = json.loads(path.read_text()) if path.exists() else {"losses": []}
    losses: list[float] = state["losses"]
    n_step, pause = spec.recipe["n_step"], spec.recipe.get("seconds", 0.01)
    reporter.begin(len(losses), tokens_per_step=10)
    reporter.points([point(step + 1, loss) for step, loss in enumerate(losses)])
    saved = time.monotonic()

    def save() -> None:
        write_atomic(path, json.dumps({"losses": losses}).encode())
        reporter.checkpointed()

    while len(losses) < n_step:
        if asked := reporter.should_stop():
            save()
            return asked
        if time.monotonic() - saved > 0.5:
            save()
            saved = time.monotonic()
        step = len(losses) + 1
        if step == spec.recipe.get("at"):
            fault(spec.recipe["fault"])
        before = losses[-1] if losses else float(spec.seed)
        losses.append(before * 0.9 + random.Random(f"{spec.seed} {step}").random())
        time.sleep(pause)
        reporter.points([point(step, losses[-1])])
        if step in (1, 5):
            reporter.frame(step, str(step).encode(), f"sample {step}")
    save()
    return "finished"


def point(step: int, loss: float) -> CurvePoint:
    """All of its numbers follow from the loss."""
    return CurvePoint(step, loss, loss + 1 if step % 10 == 0 else None, loss / 2, 0.1)


def fault(kind: str) -> None:
    """Make the job die of this kind of fault."""
    if kind == "exit":
        os._exit(3)
    if kind == "segfault":
        os.kill(os.getpid(), 11)
    if kind == "hang":
        time.sleep(1000)
    if kind == "allocate":
        bytearray(50 * 2**30)
    if kind == "torch":
        raise RuntimeError("[enforce fail at alloc_cpu.cpp:124] data. DefaultCPUAllocator: can't allocate memory")
    if kind == "diverge":
        raise TrainingDiverged("The loss became infinite at step 3.")
    raise KeyError("a secret of the code")


if __name__ == "__main__":
    main(count, preload="core.jobs.worker")
