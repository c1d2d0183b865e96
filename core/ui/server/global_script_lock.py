"""A lock that runs one script at a time; sixty in parallel would all be slow, as Python runs one at a time anyway.

Threads that compete for the interpreter take it from each other every 5 ms, so all finish late. With the lock each
visitor waits for the ones ahead rather than for everyone, and switching costs no time. A long script lets the next one
start and continues in parallel, because the computations of a large model don't hold the interpreter.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

LONG_SECONDS = 0.25  # most scripts take a tenth


class _ScriptLock:
    """A queue of threads; one that has held the lock for `long` seconds no longer makes the others wait."""

    def __init__(self, long: float = LONG_SECONDS):
        self._long, self._lock = long, threading.Lock()
        self._queue: deque[threading.Event] = deque()
        self._holder: threading.Event | None = None
        self._since = 0.0
        self._mine = threading.local()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Wait for the lock and hold it inside; a thread that holds it already does not wait again."""
        if getattr(self._mine, "holds", False):
            yield
            return
        ticket = threading.Event()
        with self._lock:
            self._queue.append(ticket)
            if self._holder is None:
                self._call_next()
        while not ticket.wait(self._long):
            with self._lock:
                is_next = bool(self._queue) and self._queue[0] is ticket
                if is_next and time.monotonic() - self._since >= self._long:
                    self._call_next()
        self._mine.holds = True
        try:
            yield
        finally:
            self._mine.holds = False
            with self._lock:
                if self._holder is ticket:
                    self._call_next()

    def _call_next(self) -> None:
        self._holder = self._queue.popleft() if self._queue else None
        self._since = time.monotonic()
        if self._holder is not None:
            self._holder.set()


script_lock = _ScriptLock().hold
