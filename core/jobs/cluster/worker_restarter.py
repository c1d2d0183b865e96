"""The keeper of one machine's workers: it restarts each within a second of its end, for whatever reason it ended.

Dask has a process of the same kind, the nanny. But it gives up on a worker that dies while it starts, or that exceeds
its time limit for a restart, and then that worker is missing until someone notices.
"""

import importlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

from core.jobs import operating_system

RESTART_PAUSE_SECONDS = 1.0  # between two starts of the same worker, because the scheduler may be starting too
SCHEDULER_SECONDS = 60  # a worker that finds no scheduler for this long ends, and is restarted
GOODBYE_SECONDS = 5.0
# A forked process has everything imported already; otherwise that takes seconds, or a minute on a busy machine.
PROCESS_CONTEXT: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def import_worker_modules() -> None:
    """Import the workers' modules into the process that they are forked from, without starting a thread."""
    if PROCESS_CONTEXT.get_start_method() == "fork":
        for name in ("core.jobs.preload", "core.jobs.cluster.remote_worker", "distributed.cli.dask_worker"):
            importlib.import_module(name)


def keep_workers_running(scheduler: str, n_worker: int) -> None:
    """Run the keeper: keep `n_worker` workers alive until it is asked to end or its parent has ended."""
    operating_system.start_new_session()
    is_ending = False

    def end(*_: object) -> None:
        nonlocal is_ending
        is_ending = True

    signal.signal(signal.SIGTERM, end)
    workers: list[BaseProcess | None] = [None] * n_worker
    started = [-RESTART_PAUSE_SECONDS] * n_worker
    while not is_ending and not _is_orphan():
        for n, worker in enumerate(workers):
            if worker is not None and worker.is_alive():
                continue
            if worker is not None:
                print(f"A worker ended (code {worker.exitcode}) and is started again.", file=sys.stderr, flush=True)
            time.sleep(max(0.0, started[n] + RESTART_PAUSE_SECONDS - time.monotonic()))
            started[n] = time.monotonic()
            workers[n] = new = PROCESS_CONTEXT.Process(
                target=_run_cluster_worker, args=(scheduler,), name=f"worker {n}"
            )
            new.start()
        wait([worker.sentinel for worker in workers if worker is not None], timeout=RESTART_PAUSE_SECONDS)
    end_processes([worker for worker in workers if worker is not None])


def end_processes(processes: list[BaseProcess]) -> None:
    """Ask processes to end, and kill those that don't."""
    for process in processes:
        process.terminate()
    until = time.monotonic() + GOODBYE_SECONDS
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
        process.kill()
        process.join()


def _is_orphan() -> bool:
    parent = multiprocessing.parent_process()
    return parent is not None and not parent.is_alive()


def _run_cluster_worker(scheduler: str) -> None:
    """Run a worker process, which ends with its keeper."""
    operating_system.start_new_session()
    operating_system.raise_oom_score()
    operating_system.limit_memory()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_keeper, daemon=True).start()
    from distributed.cli.dask_worker import main as dask_worker

    limits = ["--nthreads", "1", "--death-timeout", str(SCHEDULER_SECONDS), "--memory-limit", "0"]
    ports = ["--host", _own_address(scheduler), "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
    dask_worker([scheduler, "--no-nanny", *ports, "--preload", "core.jobs.preload", *limits])


def _own_address(scheduler: str) -> str:
    """Return this machine's address in the scheduler's network, because Dask by default listens in every network."""
    from distributed.comm.addressing import get_address_host
    from distributed.utils import get_ip, get_ipv6

    host = get_address_host(scheduler)
    return get_ipv6(host) if ":" in host else get_ip(host)


def _end_with_keeper() -> None:
    keeper = multiprocessing.parent_process()
    if keeper is not None:
        keeper.join()
        os._exit(0)
