"""One training run as a job, and the process around it.

`run_job` takes a spec and a reporter and doesn't depend on where it runs: in a thread of a test, in a process of the
supervisor, or in any `concurrent.futures.Executor`, with a reporter that reaches the store. Whatever needs torch is
imported inside functions, because the supervisor imports this module and must stay small.
"""

import faulthandler
import json
import os
import secrets
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from core.data.localization.labels import module_labels
from core.jobs import operating_system
from core.jobs.database import RunReassigned
from core.jobs.reporter import JobReporter, StoreReporter
from core.jobs.runs import JobOutcome, JobSpec, is_experiment_spec
from core.jobs.store import RunStore
from core.train.malloc_settings import keep_freed_memory

LABELS = module_labels(__name__)

if TYPE_CHECKING:
    from core.train.run import TrainRun

CHECKPOINT_SECONDS = 3.0
REPORT_SECONDS = 0.25  # between two records of an experiment
SLICE_SECONDS = 0.1  # the longest stretch of training without checking for requests
GRACE_SECONDS = 6.0  # how long a worker without a supervisor may take for its last checkpoint

STATE_AFTER = {"finished": "finished", "pause": "paused", "stop": "stopped", "yield": "queued", "diverged": "diverged"}


Job = Callable[[JobSpec, JobReporter], JobOutcome]


class JobRefused(ValueError):
    """The job can't start or continue; the message says why and is fit to be shown."""


def run_job(spec: JobSpec, reporter: JobReporter) -> JobOutcome:
    """Train one run until it is done or the reporter requests something else, then write a checkpoint.

    An experiment writes its record instead.

    Frames are taken at log-spaced steps, right after the step and before any checkpoint that contains it, so a resumed
    run misses none and repeats those after its checkpoint.

    Raises:
        JobRefused: if the recipe, the text or the checkpoint can't be used.
        core.train.run.TrainingDiverged: if the loss is no longer a finite number.
    """
    if is_experiment_spec(spec.recipe):
        return _run_experiment(spec, reporter)
    from core.train.watch.behavior_snapshots import capture_frame, frame_steps
    from core.train.watch.watcher import Watcher

    run = _open(spec)
    end = run.recipe.n_step if spec.until is None else min(spec.until, run.recipe.n_step)
    wished = frame_steps(run.recipe.n_step) if spec.until is None else [run.recipe.n_step]
    frames = [step for step in wished if step > run.step or run.step == 0]
    reporter.begin(run.step, run.recipe.batch_size * run.context_length)
    if run.history:
        # A kill or a power cut can lose the last reported points although their checkpoint survives: report all again.
        reporter.points(run.history)
    watcher = Watcher(run)
    watcher.ask(reporter.to_watch())
    saved = time.monotonic()
    request = None
    while True:
        if frames and run.step >= frames[0]:
            frame = capture_frame(run)
            reporter.frame(frame.step, frame.to_bytes(), frame.sample)
            if watcher.watched:
                reporter.watched(run.step, watcher.take().to_bytes())
            frames = [step for step in frames if step > run.step]
        if run.step >= end or (request := reporter.should_stop()):
            break
        if time.monotonic() - saved >= CHECKPOINT_SECONDS:
            run.save(spec.folder)
            reporter.checkpointed()
            saved = time.monotonic()
        until = min(frames[0], end) if frames else end
        # Take the very first step alone, so that its point is on the screen without delay.
        until = 1 if run.step == 0 else until
        n_reported = len(run.history)
        try:
            watcher.ask(reporter.to_watch())
            watcher.advance(until, SLICE_SECONDS)
        finally:
            reporter.points(run.history[n_reported:])  # a diverging curve is shown up to its last point
    run.save(spec.folder)
    reporter.checkpointed()
    return "finished" if run.done else request or "pause"


def _run_experiment(spec: JobSpec, reporter: JobReporter) -> JobOutcome:
    """Run an experiment, reporting its whole record a few times a second.

    There is no checkpoint: an interrupted experiment starts from the beginning.

    Raises ValueError: if the experiment doesn't exist or an option is not allowed.
    """
    from core.train import experiment as experiments
    from core.train.device import single_torch_thread

    name, options = spec.recipe["experiment"], spec.recipe["options"]
    about = {"name": name, "options": asdict(experiments.parse_experiment_options(name, options)), "seed": spec.seed}
    request = None
    with single_torch_thread():
        running = experiments.make_experiment(name, options, spec.seed)
        reporter.begin(0, tokens_per_step=0)
        recorded = -REPORT_SECONDS  # the first step is reported at once
        while running.step < running.n_step and not (request := reporter.should_stop()):
            running.advance()
            if time.monotonic() - recorded >= REPORT_SECONDS:
                reporter.record(running.step, experiments.pack_record(running, about))
                recorded = time.monotonic()
        if running.step:  # stopped before its first step, it may have measured nothing yet
            reporter.record(running.step, experiments.pack_record(running, about))
    return "finished" if running.step >= running.n_step else request or "stop"


def _open(spec: JobSpec) -> "TrainRun":
    """Resume the run from its checkpoint, or create a new one if there is none."""
    from core.train.checkpoint import CHECKPOINT_FILE
    from core.train.recipes import Recipe
    from core.train.run import TrainRun

    for half_written in spec.folder.rglob(".write-*.tmp"):  # of a worker that was killed while it saved
        half_written.unlink(missing_ok=True)
    try:
        if (spec.folder / CHECKPOINT_FILE).exists():
            return TrainRun.resume(spec.folder, device=spec.device, text=spec.text)
        return TrainRun(Recipe.from_dict(spec.recipe), spec.seed, device=spec.device, text=spec.text)
    except ValueError as error:
        raise JobRefused(str(error)) from error


def run_worker(root: Path, line: Connection, job: Job = run_job) -> None:
    """Run a worker process: wait for a run, train it, and store the state in which it ended.

    Args:
        root: the folder of the store.
        line: a pipe from the supervisor. It carries one message, the run to train. When it is closed, deliberately or
            because the supervisor died, the worker writes a last checkpoint and the run goes back to the queue.
    """
    try:
        run_id, attempt = json.loads(line.recv_bytes())
    except (EOFError, OSError):
        return  # a spare that was never needed
    store = RunStore(root)
    _become_worker(store.log_path(run_id))
    hung_up = threading.Event()
    threading.Thread(target=_listen, args=(line, hung_up), daemon=True).start()
    with store.held_open():
        _train(store, run_id, attempt, hung_up, job)


def _train(store: RunStore, run_id: str, attempt: int, hung_up: threading.Event, job: Job) -> None:
    reporter = None
    try:
        info = store.begin(run_id, attempt, os.getpid())
        # At full speed until there is something to see; from then on with lower priority than other processes.
        reporter = StoreReporter(
            store, run_id, attempt, info.seconds, hung_up.is_set, operating_system.lower_priority, info.watch
        )
        outcome = job(JobSpec(info.recipe, info.seed, store.folder(run_id), until=info.until), reporter)
        reporter.flush()
        store.leave(run_id, attempt, STATE_AFTER[outcome], step=reporter.step)
    except RunReassigned:
        return
    except Exception as error:
        state, message = describe_run_fault(error)
        print(message, traceback.format_exc(), sep="\n", file=sys.stderr, flush=True)
        with suppress(RunReassigned):
            if reporter is not None:
                reporter.flush()  # the curve up to the fault is worth seeing
        store.leave(run_id, attempt, state, message)


def describe_run_fault(error: Exception) -> tuple[str, str]:
    """Return the state after a run's fault, "diverged" or "failed", and the message shown for it.

    The traceback goes into the run's log under the same id.
    """
    text = str(error)
    if type(error).__name__ == "TrainingDiverged":  # its module imports torch
        return "diverged", text
    if isinstance(error, JobRefused):
        return "failed", text
    if isinstance(error, MemoryError) or "can't allocate memory" in text or "out of memory" in text.lower():
        return "failed", LABELS["no_memory"]
    if (isinstance(error, OSError) and error.errno == 28) or "disk is full" in text:
        return "failed", LABELS["disk_full"]
    return "failed", LABELS("fault", id=secrets.token_hex(4))


def _become_worker(log: Path) -> None:
    """Send output to the run's log, ignore Ctrl-C, and volunteer to be killed first when memory runs out."""
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.close(out)
    faulthandler.enable(file=2)  # a crash inside a library leaves a trace as well
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    operating_system.start_new_session()
    operating_system.raise_oom_score()
    operating_system.limit_memory()
    keep_freed_memory()


def _listen(line: Connection, hung_up: threading.Event) -> None:
    """Wait until the supervisor closes the pipe. The job then writes a checkpoint; a job that hangs is ended anyway."""
    with suppress(OSError, EOFError):
        line.recv_bytes()
    hung_up.set()
    time.sleep(GRACE_SECONDS)
    os._exit(75)
