"""The ranking of a race, and an analysis of its settings when it is over. Pure functions of settings and runs."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from core.classroom.race.race_settings import RACE_SETTINGS, RacerSettings, setting_texts, settings_summary
from core.data.localization.labels import module_labels
from core.data.progress import estimated_seconds_left
from core.jobs.sweeps.variance_explained_by_settings import omega_squared

LABELS = module_labels(__name__)


@dataclass(frozen=True, kw_only=True)
class Racer:
    """One run of a race."""

    id: str  # of the racer
    name: str  # only for screens that may show names
    settings: RacerSettings
    n_parameter: int
    n_step: int
    run: str = ""
    state: str = "set up"  # of the run, see `core.jobs.runs.RUN_STATES`; "set up" before it is queued
    step: int = 0
    curve: tuple[tuple[float, float], ...] = ()  # (share of the work done, bits per byte), in order
    message: str = ""  # why it failed
    has_diverged: bool = False  # whether it failed because its loss became infinite or not a number
    queued: float | None = None  # when it was queued, in Unix seconds; None before

    @property
    def score(self) -> float | None:
        """The final bits per byte on the held-out part, or None if the run isn't finished or has failed."""
        return self.curve[-1][1] if self.state == "finished" and self.curve else None

    @property
    def stands(self) -> str:
        """The score as text, or the run's state if it has none."""
        return LABELS[f"state.{self.state.replace(' ', '_')}"] if self.score is None else f"{self.score:.3f}"


def rank_racers(racers: Sequence[Racer], goal: float | None = None) -> list[Racer]:
    """Sort racers, best first: by parameters below the goal, then by the loss, then those without a score by curve.

    Args:
        goal: bits per byte.
    """
    return sorted(racers, key=lambda one: (*_merit(one, goal), one.id))


def racer_places(places: Sequence[Racer], goal: float | None = None) -> list[int]:
    """Return the place of each ranked racer, from 1; equal results, as from equal settings, share a place."""
    found: list[int] = []
    for n, one in enumerate(places):
        is_shared = n > 0 and one.score is not None and _merit(one, goal) == _merit(places[n - 1], goal)
        found.append(found[-1] if is_shared else n + 1)
    return found


def _merit(one: Racer, goal: float | None) -> tuple[float, ...]:
    """Return a racer's sort key; lower is better."""
    if one.score is None:
        return (2, one.curve[-1][1] if one.curve and one.state != "failed" else math.inf)
    if goal is not None and one.score <= goal:
        return (0, one.n_parameter, one.score)
    return (1, one.score)


def is_race_over(racers: Sequence[Racer]) -> bool:
    """Return whether all runs have ended."""
    return all(one.state in ("finished", "failed", "stopped") for one in racers)


def seconds_until_over(racers: Sequence[Racer], now: float) -> float | None:
    """Return how many seconds the race will still take, from the progress since the first run was queued.

    Args:
        now: Unix seconds.

    Returns:
        The remaining seconds, or None while there is too little progress to tell.
    """
    queued = [one.queued for one in racers if one.queued is not None]
    if not queued:
        return None
    return estimated_seconds_left(
        fmean(1.0 if is_race_over([one]) else one.step / one.n_step for one in racers), now - min(queued)
    )


def last_placed_racer(places: Sequence[Racer]) -> Racer | None:
    """Return the last-placed racer whose run has finished or failed, or None."""
    return next((one for one in reversed(places) if one.state in ("finished", "failed")), None)


def board_row(one: Racer) -> dict[str, object]:
    """Return a racer's row of the board, for all screens."""
    return {
        "id": one.id,
        "name": one.name,
        "settings": settings_summary(one.settings),
        "n_parameter": one.n_parameter,
        "n_step": one.n_step,
        "state": one.state,
        "share": round(one.step / one.n_step, 3),
        "curve": [[round(share, 3), round(loss, 3)] for share, loss in one.curve],
        "score": None if one.score is None else round(one.score, 3),
        "message": one.message,
        "has_diverged": one.has_diverged,
    }


def compare_winner_with_median(places: Sequence[Racer]) -> dict[str, object] | None:
    """Compare the winner's settings with the median's, `[label, winner's, median's]`; None below three scores."""
    scored = [one for one in places if one.score is not None]
    if len(scored) < 3:
        return None
    first, middle = scored[0], scored[len(scored) // 2]
    both = [
        [label, value, setting_texts(middle.settings)[label]] for label, value in setting_texts(first.settings).items()
    ]
    return {"rows": both, "scores": [round(first.score or 0, 3), round(middle.score or 0, 3)]}


def setting_effects(places: Sequence[Racer]) -> list[dict[str, Any]]:
    """Return each setting with the scores of all runs by its values, first the one that alone explains the most.

    `share` is the share of the variance it explains (`core.jobs.sweeps.variance_explained_by_settings`). Settings vary
    together, so this is a hint and not a proof.
    """
    found = []
    for name, one in RACE_SETTINGS.items():
        groups: dict[object, list[float]] = defaultdict(list)
        for racer in places:
            if racer.score is not None:
                groups[getattr(racer.settings, name)].append(racer.score)
        values = [[words, sorted(round(s, 3) for s in groups[v])] for v, words in one.values.items() if groups[v]]
        found.append({"label": one.label, "values": values, "share": omega_squared(groups)})
    return sorted(found, key=lambda one: -(-1.0 if one["share"] is None else one["share"]))


def single_setting_variants(worst: RacerSettings, best: RacerSettings) -> dict[str, RacerSettings]:
    """Return, for each setting in which they differ, the worst settings with the best's value of it."""
    return {
        name: replace(worst, **{name: getattr(best, name)})
        for name in RACE_SETTINGS
        if getattr(worst, name) != getattr(best, name)
    }
