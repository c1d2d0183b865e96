"""The faults of a cluster in plain words: what is wrong and, between backticks at the end, what to type.

The pages of the app show them.
"""

import re

from core.jobs.cluster.address import PATTERN
from core.jobs.worker import JobRefused

PROGRAM = "python -m core.jobs.cluster"
# With the first option alone, the scheduler still serves /metrics and /info to every network at port 8787.
NO_DASHBOARD = "--no-dashboard --dashboard-address 127.0.0.1:0"
INSTALL = "`pip install -r requirements.txt distributed==2026.8.0`"


def no_scheduler(address: str) -> str:
    """Return the words for a scheduler that doesn't answer at this address, "tcp://10.0.0.1:8786"."""
    if not PATTERN.fullmatch(address):
        return f"GLASSFORMER_CLUSTER is {address!r}, not a scheduler's address. Write it like `tcp://10.0.0.1:8786`"
    return f"no scheduler answers at {address}. Start it on that machine: `{scheduler_command(address)}`"


def scheduler_command(address: str) -> str:
    """Return the command that starts a scheduler at this address, which must match `address.PATTERN`."""
    protocol, host, port = PATTERN.fullmatch(address).groups()  # type: ignore[union-attr]
    host = host if protocol == "tcp" else f"tls://{host}"
    return f"dask scheduler --host {host} --port {port} {NO_DASHBOARD}"


def no_worker(address: str) -> str:
    """Return the words for a scheduler that no worker has joined."""
    return f"it has no workers. Start some, in Glassformer's folder on each machine: `{PROGRAM} {address}`"


def of_worker(found: object, address: str) -> str:
    """Return the words for a worker that isn't any use.

    Args:
        found: another fingerprint than ours, or the error that came in its place.
    """
    # Dask may hand an error on as a plain Exception with the original's text.
    missing = re.search(r"No module named '(\w+)", str(found)) if isinstance(found, Exception) else None
    if missing or isinstance(found, ImportError):
        lacks = (missing[1] if missing else getattr(found, "name", None) or "core").partition(".")[0]
        if lacks == "core":
            return (
                "a worker can't import Glassformer. Stop it, and start it in Glassformer's folder on its machine: "
                f"`{PROGRAM} {address}`"
            )
        return f"a worker lacks the package {lacks}. Install everything on its machine: {INSTALL}"
    if isinstance(found, OSError):
        return "a worker doesn't answer. Is its machine on, and may the machines reach each other's ports?"
    if isinstance(found, Exception) and not isinstance(found, JobRefused):
        name = type(found).__name__
        return f"a worker can't read a run ({name}). Start it again on its machine: `{PROGRAM} {address}`"
    return (
        "a worker has another version of Glassformer, of Python or of torch. Put the app's version on its machine: "
        + INSTALL
    )
