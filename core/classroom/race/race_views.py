"""The views of a race that are sent to the three screens of a class."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.classroom.race import leaderboard
from core.classroom.race.leaderboard import Racer
from core.classroom.race.race_message_handlers import attacker_and_target
from core.classroom.race.race_settings import RACE_SETTINGS, race_form_fields, setting_texts, settings_summary
from core.classroom.race.racers import (
    COMPARISON_PREFIX,
    entrants,
    racer_members,
    racer_of,
    ranked_racers,
    runs_explaining_worst_result,
)
from core.classroom.state import ClassRace, ClassRefused, ClassSnapshot
from core.data import corpora

RaceView = dict[str, Any]


def learner_race_view(whole: ClassSnapshot, who: str, places: Sequence[Racer]) -> RaceView | None:
    """Return a learner's view: their own settings, curve and place, and of the others only the best curve."""
    if (race := whole.state.race) is None:
        return None
    me = racer_of(whole, race, who)
    told = _for_all(whole, race, places)
    entry = whole.entries[race.n].get(me)
    told["mine"] = None if entry is None else {name: str(value) for name, value in asdict(entry.settings).items()}
    told["team"] = racer_members(whole, race, me) if race.in_teams else []
    if race.stage == "set up":
        return told | {"menu": race_form_fields()}
    at = next((n for n, one in enumerate(places) if one.id == me), None)
    rows = _rows(race, places)
    told |= {"best": _nameless(rows[0]) if rows else None, "me": None if at is None else rows[at]}
    if race.stage == "attack":
        told["target"] = _target(places, me)
        told["attack"] = whole.attacks[race.n].get(me)
    return told


def projector_race_view(whole: ClassSnapshot, places: Sequence[Racer]) -> RaceView | None:
    """Return the projector's view: the board, without names unless the teacher shows them."""
    if (race := whole.state.race) is None:
        return None
    told = _for_all(whole, race, places)
    if race.stage == "set up":
        return told
    has_names = whole.state.has_names or race.in_teams
    attacks = whole.attacks[race.n]
    told["board"] = [one if has_names else _nameless(one) for one in _rows(race, places)]
    told["shown"] = [attacks[one] for one in race.shown if one in attacks]
    return told | (_afterwards(whole, race, places) if told["is_over"] else {})


def desk_race_view(whole: ClassSnapshot, places: Sequence[Racer]) -> RaceView | None:
    """Return the desk's view, which shows everything."""
    if (race := whole.state.race) is None:
        return None
    told = _for_all(whole, race, places)
    names = {one.id: one.name for one in places}
    told["racers"] = {one.id: racer_of(whole, race, one.id) for one in whole.present}
    told["entries"] = [[one.id, one.name, settings_summary(one.settings)] for one in places]
    if race.stage != "set up":
        told["board"] = _rows(race, places)
        told["attacks"] = sorted(
            ({**one, "racer": racer, "name": names.get(racer, "")} for racer, one in whole.attacks[race.n].items()),
            key=lambda one: -one["margin"],
        )
        told["shown"] = race.shown
    return told


def is_race_running(whole: ClassSnapshot, places: Sequence[Racer]) -> bool:
    """Return whether any run of the race, or of its comparison, is still going."""
    race = whole.state.race
    if race is None or race.stage == "set up":
        return False
    return not leaderboard.is_race_over([*places, *runs_explaining_worst_result(whole, race)])


def current_racers(whole: ClassSnapshot) -> list[Racer]:
    """Return the racers of the class's race, best first; [] if there is no race."""
    return [] if whole.state.race is None else ranked_racers(whole, whole.state.race)


def _for_all(whole: ClassSnapshot, race: ClassRace, places: Sequence[Racer]) -> RaceView:
    left = leaderboard.seconds_until_over(places, time.time())
    return {
        "n": race.n,
        "text": corpora.corpus_title(race.text),
        "seconds": race.seconds,
        "in_teams": race.in_teams,
        "goal": race.goal,
        "seed": race.seed,
        "stage": race.stage,
        "n_entered": len(entrants(whole, race)),
        "n_racer": len(places),
        "n_done": sum(leaderboard.is_race_over([one]) for one in places),
        "seconds_left": None if left is None else round(left),
        "is_over": race.stage != "set up" and leaderboard.is_race_over(places),
    }


def _rows(race: ClassRace, places: Sequence[Racer]) -> list[RaceView]:
    return [
        leaderboard.board_row(one) | {"place": n}
        for n, one in zip(leaderboard.racer_places(places, race.goal), places, strict=True)
    ]


def _nameless(row: RaceView) -> RaceView:
    return {name: value for name, value in row.items() if name not in ("id", "name")}


def _target(places: Sequence[Racer], me: str) -> RaceView | None:
    try:
        _, other = attacker_and_target(list(places), me)
    except ClassRefused:
        return None
    return {"settings": settings_summary(other.settings), "score": other.score}


def _afterwards(whole: ClassSnapshot, race: ClassRace, places: Sequence[Racer]) -> RaceView:
    told: RaceView = {
        "mattered": leaderboard.setting_effects(places),
        "median": leaderboard.compare_winner_with_median(places),
        "why": [],
    }
    if (last := leaderboard.last_placed_racer(places)) is None:
        return told
    for one in runs_explaining_worst_result(whole, race):
        label = RACE_SETTINGS[one.id.removeprefix(COMPARISON_PREFIX)].label
        before, now = setting_texts(last.settings)[label], setting_texts(one.settings)[label]
        told["why"].append(leaderboard.board_row(one) | {"label": label, "from": before, "to": now})
    return told | {"worst": _nameless(leaderboard.board_row(last))}
