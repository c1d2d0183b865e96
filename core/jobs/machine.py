"""The few things that depend on the operating system, each best effort and silent where it does not exist."""

import os
import sys
from contextlib import suppress
from pathlib import Path


def n_slot() -> int:
    """How many runs may train at once: `GLASSFORMER_SLOTS`, or all cores but one (the server needs it)."""
    return _setting("GLASSFORMER_SLOTS", 1, 256) or max(1, (os.cpu_count() or 1) - 1)


def _setting(name: str, low: int, high: int) -> int | None:
    """A whole number of the environment; None where there is none within these limits."""
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() and low <= int(text) <= high else None


def one_thread() -> dict[str, str]:
    """Environment variables that keep every numeric library at one thread.

    Tiny models gain nothing from a second thread, and two jobs of two threads are 2.5 times slower than two of one.
    """
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
    return dict.fromkeys(names, "1") | {"TOKENIZERS_PARALLELISM": "false"}


def stand_alone() -> None:
    """Makes this process a session of its own: signals of a terminal stay away, and it can be nice by itself."""
    with suppress(OSError, AttributeError):
        os.setsid()


def yield_to_others() -> None:
    """Lets the web server go first whenever both want the processor: by `GLASSFORMER_NICE` (0 to 19, else 10)."""
    given = _setting("GLASSFORMER_NICE", 0, 19)
    niceness = 10 if given is None else given
    with suppress(OSError, AttributeError):
        os.nice(niceness)
    # Where the kernel groups processes by session, niceness counts only inside the group: move the group too.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(niceness))


def end_me_first() -> None:
    """If memory runs out, the system should end this worker, not the server."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("600")


def limit_memory() -> None:
    """Makes an allocation beyond the limit fail at once, as an error that can be told in plain words.

    The limit is `GLASSFORMER_JOB_MB` (4096). Linux counts private writable memory here. Not used where there is a
    GPU: its driver reserves address space by the hundred gigabytes.
    """
    if sys.platform != "linux" or Path("/dev/nvidiactl").exists() or Path("/dev/kfd").exists():
        return
    import resource

    n_byte = (_setting("GLASSFORMER_JOB_MB", 256, 2**40) or 4096) * 2**20
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (n_byte, hard))


def is_alive(pid: int | None) -> bool:
    """Whether a process of this number exists. Windows cannot be asked harmlessly: True there, "perhaps"."""
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
    # A process that has ended but was not collected by its parent yet still has a number.
    with suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    return True
