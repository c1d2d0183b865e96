"""The views of a race that are sent to the three screens of a class."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.classroom.race import board
from core.classroom.race.board import Racer
from core.classroom.race.racers import COMPARISON, comparison_runs, entrants, members, racer_of, racers
from core.classroom.race.rules import target
from core.classroom.race.settings import SETTINGS, briefly, in_words, menu
from core.classroom.state import ClassRefused, Race, Snapshot
from core.data import corpora

Told = dict[str, Any]


def for_learner(whole: Snapshot, who: str, places: Sequence[Racer]) -> Told | None:
    """Return a learner's view: their own settings, curve and place, and of the others only the best curve."""
    if (race := whole.state.race) is None:
        return None
    me = racer_of(whole, race, who)
    told = _for_all(whole, race, places)
    entry = whole.entries[race.n].get(me)
    told["mine"] = None if entry is None else {name: str(value) for name, value in asdict(entry.settings).items()}
    told["team"] = members(whole, race, me) if race.in_teams else []
    if race.stage == "set up":
        return told | {"menu": menu()}
    at = next((n for n, one in enumerate(places) if one.id == me), None)
    rows = _rows(race, places)
    told |= {"best": _nameless(rows[0]) if rows else None, "me": None if at is None else rows[at]}
    if race.stage == "attack":
        told["target"] = _target(places, me)
        told["attack"] = whole.attacks[race.n].get(me)
    return told


def for_projector(whole: Snapshot, places: Sequence[Racer]) -> Told | None:
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


def for_desk(whole: Snapshot, places: Sequence[Racer]) -> Told | None:
    """Return the desk's view, which shows everything."""
    if (race := whole.state.race) is None:
        return None
    told = _for_all(whole, race, places)
    names = {one.id: one.name for one in places}
    told["racers"] = {one.id: racer_of(whole, race, one.id) for one in whole.present}
    told["entries"] = [[one.id, one.name, briefly(one.settings)] for one in places]
    if race.stage != "set up":
        told["board"] = _rows(race, places)
        told["attacks"] = sorted(
            ({**one, "racer": racer, "name": names.get(racer, "")} for racer, one in whole.attacks[race.n].items()),
            key=lambda one: -one["margin"],
        )
        told["shown"] = race.shown
    return told


def is_running(whole: Snapshot, places: Sequence[Racer]) -> bool:
    """Return whether any run of the race, or of its comparison, is still going."""
    race = whole.state.race
    if race is None or race.stage == "set up":
        return False
    return not board.is_over([*places, *comparison_runs(whole, race)])


def places_of(whole: Snapshot) -> list[Racer]:
    """Return the racers of the class's race, best first; [] if there is no race."""
    return [] if whole.state.race is None else racers(whole, whole.state.race)


def _for_all(whole: Snapshot, race: Race, places: Sequence[Racer]) -> Told:
    left = board.seconds_until_over(places, time.time())
    return {
        "n": race.n,
        "text": corpora.title(race.text),
        "seconds": race.seconds,
        "in_teams": race.in_teams,
        "goal": race.goal,
        "seed": race.seed,
        "stage": race.stage,
        "n_entered": len(entrants(whole, race)),
        "n_racer": len(places),
        "n_done": sum(board.is_over([one]) for one in places),
        "seconds_left": None if left is None else round(left),
        "is_over": race.stage != "set up" and board.is_over(places),
    }


def _rows(race: Race, places: Sequence[Racer]) -> list[Told]:
    return [
        board.row(one) | {"place": n} for n, one in zip(board.number_places(places, race.goal), places, strict=True)
    ]


def _nameless(row: Told) -> Told:
    return {name: value for name, value in row.items() if name not in ("id", "name")}


def _target(places: Sequence[Racer], me: str) -> Told | None:
    try:
        _, other = target(list(places), me)
    except ClassRefused:
        return None
    return {"settings": briefly(other.settings), "score": other.score}


def _afterwards(whole: Snapshot, race: Race, places: Sequence[Racer]) -> Told:
    told: Told = {"mattered": board.what_mattered(places), "median": board.winner_and_median(places), "why": []}
    if (last := board.last_place(places)) is None:
        return told
    for one in comparison_runs(whole, race):
        label = SETTINGS[one.id.removeprefix(COMPARISON)].label
        before, now = in_words(last.settings)[label], in_words(one.settings)[label]
        told["why"].append(board.row(one) | {"label": label, "from": before, "to": now})
    return told | {"worst": _nameless(board.row(last))}
