"""Serve a class with several cores: several processes behind one address.

python -m core.ui.server --processes 4 [--address 127.0.0.1] [--port 8501] [options of `streamlit run`]
"""

import argparse
import logging
import os
import signal
import sys
import threading

from core.ui.server.load_balanced_server import serve_processes


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m core.ui.server", description=__doc__.partition("\n")[0])
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="how many (default: one a core)")
    parser.add_argument("--address", default="127.0.0.1", help="to listen at; 0.0.0.0: every one of this machine")
    parser.add_argument("--port", type=int, default=8501)
    arguments, options = parser.parse_known_args()
    if not 1 <= arguments.processes <= 64:
        parser.error(f"--processes must be from 1 to 64, not {arguments.processes}")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    ending = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ending.set())
    host = "localhost" if arguments.address in {"0.0.0.0", "::", "127.0.0.1", "::1"} else arguments.address
    plural = "es" if arguments.processes > 1 else ""
    print(
        f"Starting {arguments.processes} process{plural}; this takes a few seconds. Ctrl-C ends the server.", flush=True
    )

    def say_ready() -> None:
        print(f"Ready: open http://{host}:{arguments.port}", flush=True)

    try:
        serve_processes(arguments.processes, arguments.address, arguments.port, options, ending, say_ready)
    except (OSError, ValueError) as refused:
        sys.exit(str(refused))


if __name__ == "__main__":
    main()
