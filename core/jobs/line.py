"""Who is next: a line in which everyone stands once, however many runs they have asked for, and each address, too."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Waiting:
    """A queued run."""

    id: str
    owner: str  # whose it is
    queued: float  # when it was asked for (Unix seconds)
    in_sweep: bool = False  # whether it is one of a sweep
    address: str = ""  # the mark of the address that it was asked for from; "": the owner stands alone


def line(waiting: Sequence[Waiting], busy: Mapping[str, int], released: Mapping[str, float]) -> list[Waiting]:
    """Return the order in which queued runs will start.

    Each address stands in line with one run at a time, and so does each owner among those of the same address; when it
    has left its slot, the next one goes to the back. So one person's twenty runs delay everybody else by one run, not
    by twenty, and so do those of twenty cookies of one browser. A person's sweep comes after that person's other runs.

    Args:
        busy: how many runs an owner or an address has going now; the queued ones come as many rounds later.
        released: when the last run of each owner and of each address left its slot (Unix seconds).
    """
    in_order = sorted(waiting, key=lambda run: (run.in_sweep, run.queued, run.id))
    of_owners = _rounds([(run, run.owner) for run in in_order], busy, released)
    return _rounds([(run, run.address or run.owner) for run in of_owners], busy, released)


def _rounds(
    waiting: Sequence[tuple[Waiting, str]], busy: Mapping[str, int], released: Mapping[str, float]
) -> list[Waiting]:
    """Give each group one run in each round, in its own order."""
    n_ahead = defaultdict(int, busy)
    places = []
    for run, group in waiting:
        arrival = max(run.queued, released.get(group, 0.0))
        places.append((n_ahead[group], arrival, run.queued, run.id, run))
        n_ahead[group] += 1
    return [run for *_, run in sorted(places, key=lambda place: place[:4])]


def first_to_start(
    waiting: Sequence[Waiting], busy: Mapping[str, int], released: Mapping[str, float], n_free: int = 1
) -> Waiting | None:
    """The first run in line whose owner has none going, or None.

    A sweep may have several going: it takes the slots that are free but for one, which is kept for whoever comes.
    """
    standing = line(waiting, busy, released)
    return next((run for run in standing if run.owner not in busy or (run.in_sweep and n_free > 1)), None)
