"""The state of a race, and afterwards what mattered in it. Pure: from settings, plans and runs to what is shown."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from core.classroom.race.settings import SETTINGS, Settings, briefly, in_words
from core.data.progress import seconds_left
from core.jobs.sweeps.explained import explained


@dataclass(frozen=True, kw_only=True)
class Racer:
    """One run of a race."""

    id: str  # of the racer
    name: str  # for whoever may see it
    settings: Settings
    n_parameter: int
    n_step: int
    run: str = ""
    state: str = "set up"  # of the run, see `core.jobs.runs.STATES`; "set up" before it is in line
    step: int = 0
    curve: tuple[tuple[float, float], ...] = ()  # (share of the work done, bits per byte), in order
    message: str = ""  # why it failed
    queued: float | None = None  # when it was put in line, in Unix seconds; None before

    @property
    def score(self) -> float | None:
        """Bits per byte on the part that nobody learned from, after all steps; None before, and of a failed run."""
        return self.curve[-1][1] if self.state == "finished" and self.curve else None

    @property
    def stands(self) -> str:
        """The score, or why there is none."""
        return self.state if self.score is None else f"{self.score:.3f}"


def rank(racers: Sequence[Racer], goal: float | None = None) -> list[Racer]:
    """Best first: by the loss; or, below a goal, by parameters. Who has no score yet comes after that, by the curve.

    Args:
        goal: bits per byte.
    """
    return sorted(racers, key=lambda one: (*_merit(one, goal), one.id))


def number_places(places: Sequence[Racer], goal: float | None = None) -> list[int]:
    """The place of each that is ranked, from 1; who comes out the same, as with the same settings, shares it."""
    found: list[int] = []
    for n, one in enumerate(places):
        is_shared = n > 0 and one.score is not None and _merit(one, goal) == _merit(places[n - 1], goal)
        found.append(found[-1] if is_shared else n + 1)
    return found


def _merit(one: Racer, goal: float | None) -> tuple[float, ...]:
    """The lower, the better."""
    if one.score is None:
        return (2, one.curve[-1][1] if one.curve and one.state != "failed" else math.inf)
    if goal is not None and one.score <= goal:
        return (0, one.n_parameter, one.score)
    return (1, one.score)


def is_over(racers: Sequence[Racer]) -> bool:
    """Whether nothing goes on any more."""
    return all(one.state in ("finished", "failed", "stopped") for one in racers)


def seconds_until_over(racers: Sequence[Racer], now: float) -> float | None:
    """Return how long the race will still take, by what all runs have done since the first was put in line.

    Args:
        now: Unix seconds.

    Returns:
        None before enough has been seen.
    """
    queued = [one.queued for one in racers if one.queued is not None]
    if not queued:
        return None
    return seconds_left(fmean(1.0 if is_over([one]) else one.step / one.n_step for one in racers), now - min(queued))


def last_place(places: Sequence[Racer]) -> Racer | None:
    """The last of those that trained, to the end or until it diverged."""
    return next((one for one in reversed(places) if one.state in ("finished", "failed")), None)


def row(one: Racer) -> dict[str, object]:
    """The row of a racer, for all screens."""
    return {
        "id": one.id,
        "name": one.name,
        "settings": briefly(one.settings),
        "n_parameter": one.n_parameter,
        "n_step": one.n_step,
        "state": one.state,
        "share": round(one.step / one.n_step, 3),
        "curve": [[round(share, 3), round(loss, 3)] for share, loss in one.curve],
        "score": None if one.score is None else round(one.score, 3),
        "message": one.message,
    }


def winner_and_median(places: Sequence[Racer]) -> dict[str, object] | None:
    """Both settings side by side, `[label, winner's, median's]`; None with fewer than three scores."""
    scored = [one for one in places if one.score is not None]
    if len(scored) < 3:
        return None
    first, middle = scored[0], scored[len(scored) // 2]
    both = [[label, value, in_words(middle.settings)[label]] for label, value in in_words(first.settings).items()]
    return {"rows": both, "scores": [round(first.score or 0, 3), round(middle.score or 0, 3)]}


def what_mattered(places: Sequence[Racer]) -> list[dict[str, Any]]:
    """Each setting with the scores of all runs by its values, first the one that alone explains most of the spread.

    `share` is what it explains, see `core.jobs.sweeps.explained`. Settings differ together, so it is a hint and no
    proof.
    """
    found = []
    for name, one in SETTINGS.items():
        groups: dict[object, list[float]] = defaultdict(list)
        for racer in places:
            if racer.score is not None:
                groups[getattr(racer.settings, name)].append(racer.score)
        values = [[words, sorted(round(s, 3) for s in groups[v])] for v, words in one.values.items() if groups[v]]
        found.append({"label": one.label, "values": values, "share": explained(groups)})
    return sorted(found, key=lambda one: -(-1.0 if one["share"] is None else one["share"]))


def differences(worst: Settings, best: Settings) -> dict[str, Settings]:
    """By name of a setting in which they differ: the worst with this one of the best's."""
    return {
        name: replace(worst, **{name: getattr(best, name)})
        for name in SETTINGS
        if getattr(worst, name) != getattr(best, name)
    }
