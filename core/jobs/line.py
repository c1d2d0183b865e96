"""Who is next: a line in which everyone stands once, however many runs they have asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Waiting:
    """A queued run: whose it is, when it was asked for (Unix seconds), and whether it is one of a sweep."""

    id: str
    owner: str
    queued: float
    in_sweep: bool = False


def line(waiting: Sequence[Waiting], busy: Mapping[str, int], released: Mapping[str, float]) -> list[Waiting]:
    """The order in which queued runs will start.

    Each owner stands in line with one run at a time; when it has left its slot, the owner's next run goes to the
    back. So one person's twenty runs delay everybody else by one run, not by twenty. One's sweep comes after one's
    other runs.

    Args:
        busy: how many runs an owner has going now; the queued ones come as many rounds later.
        released: when each owner's last run left its slot (Unix seconds).
    """
    n_ahead = dict(busy)
    places = []
    for run in sorted(waiting, key=lambda run: (run.in_sweep, run.queued, run.id)):
        turn = n_ahead.get(run.owner, 0)
        n_ahead[run.owner] = turn + 1
        arrival = max(run.queued, released.get(run.owner, 0.0))
        places.append((turn, arrival, run.queued, run.id, run))
    return [run for *_, run in sorted(places, key=lambda place: place[:4])]


def first_to_start(
    waiting: Sequence[Waiting], busy: Mapping[str, int], released: Mapping[str, float], n_free: int = 1
) -> Waiting | None:
    """The first run in line whose owner has none going, or None.

    A sweep may have several going: it takes the slots that are free but for one, which is kept for whoever comes.
    """
    standing = line(waiting, busy, released)
    return next((run for run in standing if run.owner not in busy or (run.in_sweep and n_free > 1)), None)
