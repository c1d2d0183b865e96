"""Run the workers of one machine for a cluster, given its scheduler. Each is restarted whenever it ends.

python -m core.jobs.cluster tcp://host:8786 [--workers 4]
"""

import argparse
import importlib.util
import os
import sys
import time

from core.jobs import operating_system
from core.jobs.cluster import scheduler_address, worker_restarter


def main() -> None:
    """Keep the workers running until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m core.jobs.cluster", description=__doc__)
    parser.add_argument("scheduler", help="its address, tcp://host:8786")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="runs at once; default: one per core")
    options = parser.parse_args()
    if not scheduler_address.SCHEDULER_ADDRESS.fullmatch(options.scheduler):
        parser.error(f"{options.scheduler!r} is not a scheduler's address; write it like tcp://10.0.0.1:8786")
    if options.workers < 1:
        parser.error(f"--workers must be at least 1, not {options.workers}")
    if importlib.util.find_spec("distributed") is None:
        parser.error("Dask is not installed here: pip install -r requirements.txt distributed==2026.8.0")
    if warning := scheduler_address.exposure_warning(options.scheduler):
        print(f"Warning: {warning}", file=sys.stderr, flush=True)
    os.environ.update(operating_system.one_thread_environment())  # before anything imports NumPy
    # The app polls four times a second, which is not worth logging; Dask's profiler would interrupt the job 100 times.
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "warning")
    os.environ.setdefault("DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED", "False")
    worker_restarter.import_worker_modules()
    n, ends = options.workers, "ends them" if options.workers > 1 else "ends it"
    print(f"{n} worker{'s' * (n > 1)} for {options.scheduler}; Ctrl-C {ends}.", flush=True)
    while True:
        process = worker_restarter.PROCESS_CONTEXT.Process(
            target=worker_restarter.keep_workers_running, args=(options.scheduler, options.workers), name="keeper"
        )
        try:
            process.start()
            process.join()
            time.sleep(worker_restarter.RESTART_PAUSE_SECONDS)
        except KeyboardInterrupt:
            worker_restarter.end_processes([process])
            return


if __name__ == "__main__":
    main()
