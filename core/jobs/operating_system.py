"""Functions that depend on the operating system, each best effort and silent where the feature doesn't exist."""

import os
import sys
from contextlib import suppress
from pathlib import Path


def n_slot() -> int:
    """Return the number of runs that may train at once: `GLASSFORMER_SLOTS`, or all cores but one for the server."""
    return _setting("GLASSFORMER_SLOTS", 1, 256) or max(1, (os.cpu_count() or 1) - 1)


def _setting(name: str, low: int, high: int) -> int | None:
    """Return an environment variable as a whole number, or None if it isn't one within these limits."""
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() and low <= int(text) <= high else None


def one_thread_environment() -> dict[str, str]:
    """Return environment variables that limit every numeric library to one thread.

    Tiny models gain nothing from a second thread, and two jobs of two threads are 2.5 times slower than two of one.
    """
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
    return dict.fromkeys(names, "1") | {"TOKENIZERS_PARALLELISM": "false"}


def start_new_session() -> None:
    """Start a new session for this process, so that it gets no terminal signals and has its own niceness."""
    with suppress(OSError, AttributeError):
        os.setsid()


def lower_priority() -> None:
    """Lower this process's priority below the web server's, by `GLASSFORMER_NICE` (0 to 19, else 10)."""
    given = _setting("GLASSFORMER_NICE", 0, 19)
    niceness = 10 if given is None else given
    with suppress(OSError, AttributeError):
        os.nice(niceness)
    # If the kernel groups processes by session, niceness counts only inside the group, so move the group too.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(niceness))


def raise_oom_score() -> None:
    """Ask the system to end this worker, not the server, if memory runs out."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("600")


def limit_memory() -> None:
    """Make an allocation beyond the limit fail at once, as an error that can be explained to the user.

    The limit is `GLASSFORMER_JOB_MB` (4096). Linux counts private writable memory here. Not used on machines with a
    GPU, because its driver reserves hundreds of gigabytes of address space.
    """
    if sys.platform != "linux" or Path("/dev/nvidiactl").exists() or Path("/dev/kfd").exists():
        return
    import resource

    n_byte = (_setting("GLASSFORMER_JOB_MB", 256, 2**40) or 4096) * 2**20
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (n_byte, hard))


def is_process_alive(pid: int | None) -> bool:
    """Return whether a process with this id exists. Always True on Windows, which has no harmless way to check."""
    if pid is None or pid <= 0:
        return False
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    # A process that has ended but hasn't been collected by its parent still has an id.
    with suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    return True
