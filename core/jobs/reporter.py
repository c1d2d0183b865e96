"""The interface through which a job reports its progress, and the reporter that writes to the store."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Literal

from core.jobs.store import RunStore
from core.train.curve_point import CurvePoint

# "yield": the slot is needed for something else (the app is ending); the run goes back to the queue.
JobRequest = Literal["pause", "stop", "yield"]
FLUSH_SECONDS = 0.25
RATE_SECONDS = 3.0  # the window over which tokens per second are averaged


class JobReporter:
    """A job's connection to the app: it receives progress and returns requests. This base class discards everything."""

    def begin(self, step: int, tokens_per_step: int) -> None:
        """Report that the job is ready to train from this step on; with 0 tokens per step no speed is reported."""

    def points(self, points: Sequence[CurvePoint]) -> None:
        """Report new points of the curve, maybe none; called several times a second."""

    def frame(self, step: int, data: bytes, sample: str) -> None:
        """Report a frame, and the text that the model wrote at this step."""

    def watched(self, step: int, data: bytes) -> None:
        """Report the tensors that `to_watch` requests, as they were at the step of a frame."""

    def to_watch(self) -> str:
        """Return the query for the tensors to watch from now on, "" for none (`core.train.watch`)."""
        return ""

    def record(self, step: int, data: bytes) -> None:
        """Report the complete record of an experiment after this step; it replaces the record before it."""

    def checkpointed(self) -> None:
        """Report that everything up to the last point can now be resumed from the checkpoint folder."""

    def should_stop(self) -> JobRequest | None:
        """Return the pending request, or None. After a request the job writes a checkpoint and returns."""
        return None


class StoreReporter(JobReporter):
    """A reporter that writes to the store: the first point at once, later ones in batches of 0.25 s.

    Args:
        attempt: the number that `RunStore.claim` gave this worker.
        seconds: training time of earlier sessions.
        is_ending: returns whether the supervisor has ended or asks for the slot.
        at_first_point: called once, when the first point of this session is stored.
        watch: the query for watched tensors when the run begins.

    Raises Superseded: in any method that writes, if the run is no longer this worker's.
    """

    def __init__(
        self,
        store: RunStore,
        run_id: str,
        attempt: int,
        seconds: float,
        is_ending: Callable[[], bool],
        at_first_point: Callable[[], None] = lambda: None,
        watch: str = "",
    ) -> None:
        self._store, self._run_id, self._attempt = store, run_id, attempt
        self._is_ending = is_ending
        self._at_first_point: Callable[[], None] | None = at_first_point
        self.step = 0
        self._watch = watch
        self._request: JobRequest | None = None
        self._pending: list[CurvePoint] = []
        self._flushed = 0.0
        self._seconds = seconds
        self._started = time.monotonic()
        self._tokens_per_step = 0
        self._marks: deque[tuple[float, int]] = deque()  # (clock, step): the window of the rate

    def begin(self, step: int, tokens_per_step: int) -> None:
        """Start the clock; loading and building don't count as training time."""
        self.step = step
        self._tokens_per_step = tokens_per_step
        self._started = time.monotonic()

    def points(self, points: Sequence[CurvePoint]) -> None:
        """Collect points and write them when it is time."""
        if points:
            self._pending.extend(points)
            self.step = points[-1].step
        is_first = self._at_first_point is not None and bool(self._pending)
        if is_first or time.monotonic() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the pending points, and read the current request and query."""
        now = time.monotonic()
        seconds = self._seconds + now - self._started
        rate = self._rate(now)
        self._request = self._store.record(self._run_id, self._attempt, self._pending, seconds, rate)
        self._watch = self._store.to_watch(self._run_id)
        if self._pending:
            self._first_is_there()
        self._pending = []
        self._flushed = now

    def _first_is_there(self) -> None:
        if self._at_first_point:
            self._at_first_point()
            self._at_first_point = None

    def frame(self, step: int, data: bytes, sample: str) -> None:
        self._store.add_frame(self._run_id, self._attempt, step, data, sample)

    def watched(self, step: int, data: bytes) -> None:
        self._store.add_watched(self._run_id, self._attempt, step, data)

    def to_watch(self) -> str:
        """Return the query of the last flush."""
        return self._watch

    def record(self, step: int, data: bytes) -> None:
        self.step = step
        self._store.set_record(self._run_id, self._attempt, step, data)
        self.flush()
        self._first_is_there()

    def checkpointed(self) -> None:
        self._store.checkpointed(self._run_id, self._attempt)

    def should_stop(self) -> JobRequest | None:
        """Return the request of the last flush, or "yield" if the supervisor is ending or needs the slot."""
        if self._is_ending():
            return "yield"
        return self._request

    def _rate(self, now: float) -> float | None:
        """Return the tokens per second over the window, or None until there are two marks in it."""
        if self._pending:
            self._marks.append((now, self._pending[-1].step))
        while len(self._marks) > 2 and now - self._marks[1][0] > RATE_SECONDS:
            self._marks.popleft()
        if len(self._marks) < 2:
            return None
        (clock_0, step_0), (clock_1, step_1) = self._marks[0], self._marks[-1]
        return (step_1 - step_0) * self._tokens_per_step / (clock_1 - clock_0)
