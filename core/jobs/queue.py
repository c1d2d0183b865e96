"""The queue of runs: each owner, and each address, has one place in it, however many runs they have requested."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class QueuedRun:
    """A queued run."""

    id: str
    owner: str  # the person whose run it is
    queued: float  # when it was requested (Unix seconds)
    in_sweep: bool = False  # True if it belongs to a sweep
    address: str = ""  # a mark of the address that requested it; "": the owner counts alone


def queue_order(
    waiting: Sequence[QueuedRun], busy: Mapping[str, int], released: Mapping[str, float]
) -> list[QueuedRun]:
    """Return the order in which queued runs will start.

    Each address has one run in the queue at a time, and so does each owner among those of the same address; when that
    run has left its slot, the next one joins at the back. One person's twenty runs therefore delay everybody else by
    one run, not by twenty, and so do the runs of twenty cookies of one browser. A person's sweep comes after that
    person's other runs.

    Args:
        busy: the number of running runs of each owner and address; their queued runs come that many rounds later.
        released: when the last run of each owner and of each address left its slot (Unix seconds).
    """
    in_order = sorted(waiting, key=lambda run: (run.in_sweep, run.queued, run.id))
    of_owners = _rounds([(run, run.owner) for run in in_order], busy, released)
    return _rounds([(run, run.address or run.owner) for run in of_owners], busy, released)


def _rounds(
    waiting: Sequence[tuple[QueuedRun, str]], busy: Mapping[str, int], released: Mapping[str, float]
) -> list[QueuedRun]:
    """Give each group one run in each round, in its own order."""
    n_ahead = defaultdict(int, busy)
    places = []
    for run, group in waiting:
        arrival = max(run.queued, released.get(group, 0.0))
        places.append((n_ahead[group], arrival, run.queued, run.id, run))
        n_ahead[group] += 1
    return [run for *_, run in sorted(places, key=lambda place: place[:4])]


def next_run_to_start(
    waiting: Sequence[QueuedRun], busy: Mapping[str, int], released: Mapping[str, float], n_free: int = 1
) -> QueuedRun | None:
    """Return the first queued run whose owner has no run in progress, or None.

    A sweep may have several runs in progress: it takes all free slots except one, which is reserved for newcomers.
    """
    standing = queue_order(waiting, busy, released)
    return next((run for run in standing if run.owner not in busy or (run.in_sweep and n_free > 1)), None)
