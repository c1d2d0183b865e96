"""One script at a time: sixty at once would all be slow, for Python runs one at a time in any case.

Threads that want the interpreter at the same moment take it from each other every 5 ms, and all end at the end. In turn
each is done after its own time, and more are done in all: no time goes into changing from one to the next. A script
that takes long gives its turn away and goes on beside the next: what a large model computes needs no interpreter.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

LONG = 0.25  # seconds; most scripts take a tenth


class Turns:
    """A line in which threads wait; whoever has had its turn for `long` seconds no longer holds up the others."""

    def __init__(self, long: float = LONG):
        self._long, self._lock = long, threading.Lock()
        self._line: deque[threading.Event] = deque()
        self._whose: threading.Event | None = None
        self._since = 0.0
        self._mine = threading.local()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn, and have it inside; there, another one comes at once."""
        if getattr(self._mine, "has", False):
            yield
            return
        ticket = threading.Event()
        with self._lock:
            self._line.append(ticket)
            if self._whose is None:
                self._call_next()
        while not ticket.wait(self._long):
            with self._lock:
                is_next = bool(self._line) and self._line[0] is ticket
                if is_next and time.monotonic() - self._since >= self._long:
                    self._call_next()
        self._mine.has = True
        try:
            yield
        finally:
            self._mine.has = False
            with self._lock:
                if self._whose is ticket:
                    self._call_next()

    def _call_next(self) -> None:
        self._whose = self._line.popleft() if self._line else None
        self._since = time.monotonic()
        if self._whose is not None:
            self._whose.set()


turn = Turns().turn
