"""Who is next: a line in which everyone stands once, however many runs they have asked for."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Waiting:
    """A queued run: whose it is and when it was asked for (Unix seconds)."""

    id: str
    owner: str
    queued: float


def line(waiting: Sequence[Waiting], busy: Collection[str], released: Mapping[str, float]) -> list[Waiting]:
    """The order in which queued runs will start.

    Each owner stands in line with one run at a time; when it has left its slot, the owner's next run goes to the
    back. So one person's twenty runs delay everybody else by one run, not by twenty.

    Args:
        busy: owners who have a run going now; their queued ones come a round later.
        released: when each owner's last run left its slot (Unix seconds).
    """
    n_ahead = dict.fromkeys(busy, 1)
    places = []
    for run in sorted(waiting, key=lambda run: (run.queued, run.id)):
        turn = n_ahead.get(run.owner, 0)
        n_ahead[run.owner] = turn + 1
        arrival = max(run.queued, released.get(run.owner, 0.0))
        places.append((turn, arrival, run.queued, run.id, run))
    return [run for *_, run in sorted(places, key=lambda place: place[:4])]


def first_to_start(waiting: Sequence[Waiting], busy: Collection[str], released: Mapping[str, float]) -> Waiting | None:
    """The first run in line whose owner has none going, or None."""
    return next((run for run in line(waiting, busy, released) if run.owner not in busy), None)
