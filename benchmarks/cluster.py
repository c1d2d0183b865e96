"""Runs on a cluster: the throughput of 1, 2 and 4 workers on this machine, and the wait of 1,000 runs for 100 workers.

    python -m benchmarks.cluster

Measured: equal runs from the first request to the last end, with a scheduler, workers and the app's supervisor as
separate processes, against the same runs locally with one slot; and the scheduler's CPU time per poll of a mailbox.
Simulated: the real queue (`core.jobs.queue`), with the measured durations, sampled with a seed.
"""

import heapq
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil

from benchmarks.load import free_port
from benchmarks.server import ROOT
from core.jobs.queue import QueuedRun, next_run_to_start
from core.jobs.store import RunStore
from core.jobs.supervisor_launcher import SupervisorHandle
from core.train.recipes import RECIPES

N_RUN = 12
N_STEP = 120


def program(stack: ExitStack, *command: str) -> "subprocess.Popen[bytes]":
    """Start a process that ends, with all its children, when the stack closes."""
    made = subprocess.Popen([sys.executable, "-m", *command], cwd=ROOT, stderr=subprocess.DEVNULL)

    def end() -> None:
        for one in (*psutil.Process(made.pid).children(recursive=True), psutil.Process(made.pid)):
            one.kill()
        made.wait()

    stack.callback(end)
    return made


def measure(n_worker: int) -> tuple[float, list[float], float]:
    """Return the seconds for all runs, for each run, and the scheduler's CPU time. Without workers, run locally."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "runs"
        environment = {"GLASSFORMER_SLOTS": "1", "GLASSFORMER_NICE": "0"}
        scheduler: Any = None
        if n_worker:
            port = free_port()
            environment["GLASSFORMER_CLUSTER"] = address = f"tcp://127.0.0.1:{port}"
            scheduler = psutil.Process(
                program(stack, "distributed.cli.dask_scheduler", "--port", str(port), "--no-dashboard").pid
            )
            program(stack, "core.jobs.cluster", address, "--workers", str(n_worker))
        before = dict(os.environ)
        os.environ.update(environment)
        stack.callback(SupervisorHandle(folder).stop)
        os.environ.clear()
        os.environ.update(before)
        store = RunStore(folder)
        while n_worker and store.cluster().get("n_slot") != n_worker:
            time.sleep(0.1)
        recipe = {**RECIPES["bottle-and-cup"].to_dict(), "n_step": N_STEP, "n_warmup": 0}
        warm = [store.create(f"warm {n}", recipe, 0) for n in range(max(1, n_worker))]
        wait_for(store, warm)
        used = sum(scheduler.cpu_times()[:2]) if scheduler else 0.0
        began = time.monotonic()
        ids = [store.create(f"owner {n}", recipe, n) for n in range(N_RUN)]
        wait_for(store, ids)
        seconds = time.monotonic() - began
        used = sum(scheduler.cpu_times()[:2]) - used if scheduler else 0.0
        each = [(run.ended or 0.0) - (run.started or 0.0) for run in map(store.get, ids)]
        return seconds, each, used


def wait_for(store: RunStore, ids: list[str]) -> None:
    """Wait until all runs have ended."""
    while any(store.get(one).active for one in ids):
        time.sleep(0.05)


def simulate(durations: list[float], n_run: int, n_worker: int, n_owner: int) -> list[float]:
    """Return each run's wait, in order of start, if all are requested in the first minute."""
    draw = random.Random(0)
    waiting = [QueuedRun(f"{n:04}", f"owner {n % n_owner}", draw.uniform(0, 60)) for n in range(n_run)]
    arrivals = sorted(waiting, key=lambda run: run.queued)
    line, busy, released, ends = list[QueuedRun](), dict[str, int](), dict[str, float](), list[tuple[float, str]]()
    now, waits = 0.0, list[float]()
    while len(waits) < n_run:
        while arrivals and arrivals[0].queued <= now:
            line.append(arrivals.pop(0))
        while len(ends) < n_worker and (run := next_run_to_start(line, busy, released)):
            line.remove(run)
            busy[run.owner] = 1
            waits.append(now - run.queued)
            heapq.heappush(ends, (now + draw.choice(durations), run.owner))
        upcoming = [ends[0][0]] if ends else []
        now = min([*upcoming, *([arrivals[0].queued] if arrivals else [])])
        while ends and ends[0][0] <= now:
            end, owner = heapq.heappop(ends)
            busy.pop(owner, None)
            released[owner] = end
    return waits


def main() -> None:
    """Print all figures."""
    at_home, each_at_home, _ = measure(0)
    each = statistics.median(each_at_home)
    print(f"{N_RUN} runs of {N_STEP} steps, at home with one slot: {at_home:.1f} s, {each:.1f} s each")
    durations = each_at_home
    for n_worker in (1, 2, 4):
        seconds, each, used = measure(n_worker)
        looks = sum(each) / 0.25
        print(
            f"{n_worker} workers: {seconds:.1f} s, {at_home / seconds:.2f} times home; {statistics.median(each):.1f} s "
            f"each; scheduler {used:.2f} s of its processor, {1000 * used / looks:.1f} ms a look"
        )
    for n_owner in (1000, 100):
        waits = simulate([10 * one / statistics.median(durations) for one in durations], 1000, 100, n_owner)
        cut = [f"{n}: {statistics.fmean(waits[n - 20 : n]):.0f} s" for n in (100, 200, 400, 600, 800, 1000)]
        print(f"1,000 runs of about 10 s by {n_owner} people, 100 workers: waiting by place in line {', '.join(cut)}")


if __name__ == "__main__":
    main()
