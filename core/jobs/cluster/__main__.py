"""The workers of one machine, for the cluster whose scheduler is named; started again whenever they end.

python -m core.jobs.cluster tcp://host:8786 [--workers 4]
"""

import argparse
import os
import subprocess
import sys
import time

from core.jobs import machine
from core.jobs.launch import REPOSITORY

PAUSE_SECONDS = 2.0  # before a new start: the scheduler may be on its way


def main() -> None:
    """Keeps them until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m core.jobs.cluster", description=__doc__)
    parser.add_argument("scheduler", help="its address, tcp://host:8786")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="runs at once; else one for each core")
    options = parser.parse_args()
    paths = filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")])
    environment = os.environ | machine.one_thread() | {"PYTHONPATH": os.pathsep.join(paths)}
    # Home looks in four times a second, which is no news; Dask's profiler would stop the job a hundred times.
    environment = {
        "DASK_LOGGING__DISTRIBUTED": "warning",
        "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
        **environment,
    }
    # fmt: off
    command = [
        sys.executable, "-m", "distributed.cli.dask_worker", options.scheduler, "--nworkers", str(options.workers),
        "--nthreads", "1", "--no-dashboard", "--preload", "core.jobs.preload", "--death-timeout", "60",
    ]
    # fmt: on
    while True:
        try:
            subprocess.run(command, env=environment, cwd=REPOSITORY, check=False)
            time.sleep(PAUSE_SECONDS)
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
