"""The server's cost of uploading a model's weights: memory, CPU, and the time over this machine's loopback.

    python -m benchmarks.upload [MB ...]

A separate server receives random bytes in blocks, as a browser sends a file. Its memory is read every 20 ms (Linux),
and the increase is printed.
"""

import http.client
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.server import ROOT, streamlit, wait_until_warm
from core.ui.server.identity.anonymous_owner import COOKIE

BLOCK = os.urandom(1 << 20)
MOST = "10000"  # MB that may be uploaded


def resident(pid: int) -> float:
    """Return the MB of a process's memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1e3


def cpu(pid: int) -> float:
    """Return the CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def blocks(n_byte: int) -> Iterator[bytes]:
    """Yield this many bytes in blocks."""
    while n_byte > 0:
        yield BLOCK[:n_byte]
        n_byte -= len(BLOCK)


def put(url: str, n_byte: int) -> int:
    """Send this many bytes as a model's weights and return the answer's status."""
    line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=600)
    headers = {"x-upload": "1", "cookie": f"{COOKIE}={'a' * 32}", "content-length": str(n_byte)}
    line.request("PUT", "/upload/model.safetensors", blocks(n_byte), headers)
    return line.getresponse().status


def measure(url: str, pid: int, n_byte: int) -> str:
    """Measure one upload and return it as a line of the table."""
    before, worked, begun, highest, is_over = resident(pid), cpu(pid), time.perf_counter(), [0.0], threading.Event()

    def watch() -> None:
        while not is_over.wait(0.02):
            highest.append(resident(pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    status = put(url, n_byte)
    is_over.set()
    watcher.join()
    seconds, worked = time.perf_counter() - begun, cpu(pid) - worked
    rise = max(highest) - before
    return f"{n_byte / 1e6:,.0f} MB: {status}, memory +{rise:.1f} MB, {seconds:.1f} s, {worked:.1f} CPU s"


def main() -> None:
    """Print a line for each size."""
    sizes = [int(mb) * 1_000_000 for mb in sys.argv[1:]] or [10_000_000, 300_000_000, 1_000_000_000]
    with streamlit(ROOT / "app.py", GLASSFORMER_TRAINING="off", GLASSFORMER_UPLOAD_MB=MOST) as (url, server):
        wait_until_warm(f"{url}/api/ready")
        put(url, 1_000)  # the imports of the first upload don't count
        time.sleep(2.0)
        for n_byte in sizes:
            print(measure(url, server.pid, n_byte), flush=True)


if __name__ == "__main__":
    main()
