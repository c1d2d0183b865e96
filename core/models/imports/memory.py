"""Whether a model fits into this machine's memory: told before any of it is taken."""

from contextlib import suppress
from pathlib import Path

import psutil

from core.data.files import megabytes
from core.models.imports.weights_file import ImportRefused

LEFT = 500_000_000  # bytes that stay free for passes, caches and everybody else
_LIMIT, _USED = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")


def available() -> int:
    """Bytes of memory that can be taken without swapping, of the machine or of the container that this runs in."""
    free = int(psutil.virtual_memory().available)
    with suppress(OSError, ValueError):  # elsewhere, or "max": no limit
        free = min(free, int(_LIMIT.read_text()) - int(_USED.read_text()))
    return max(free, 0)


def check_memory(n_byte: int) -> None:
    """Raises ImportRefused if so many bytes of weights do not fit."""
    free = available()
    if n_byte > free - LEFT:
        raise ImportRefused(
            f"its weights take {megabytes(n_byte)} of memory; this machine has {megabytes(free)} free, and "
            f"{megabytes(LEFT)} must stay so"
        )
