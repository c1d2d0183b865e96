"""The messages that a teacher or a racer may send during a race, and their effects."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from core.classroom.race import leaderboard, race_settings, runs
from core.classroom.race.attack import AttackRefused, compare_bits_per_byte
from core.classroom.race.plan import plan_race_run
from core.classroom.race.race_settings import RacerSettings
from core.classroom.race.racers import COMPARISON_PREFIX, entrants, racer_of, ranked_racers
from core.classroom.state import ClassRace, ClassRefused, ClassSnapshot, ClassState, CurrentClassPage, RaceStage
from core.classroom.store import Classroom
from core.data import corpora
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

RACE_SECONDS_CHOICES = (5, 10, 20, 40)
MOST_SEED = 10**6
Message = Mapping[str, Any]


def _current_race(now: ClassState, stage: RaceStage | None = None) -> ClassRace:
    """Return the current race. Raises ClassRefused if there is none, or if it isn't at this stage."""
    if now.race is None or (stage is not None and now.race.stage != stage):
        raise ClassRefused(LABELS["not_at_this_stage"])
    return now.race


def _texts(_room: Classroom, _said: Message) -> list[tuple[str, str]]:
    """Return the texts that a race can use, with their titles; [] if training is switched off."""
    from core.ui.training.run_storage import is_training_off

    return [] if is_training_off() else [(name, corpora.corpus_title(name)) for name in corpora.names()]


def _begin(room: Classroom, said: Message) -> None:
    """Open a race, in which everybody may choose settings."""
    text, seconds, goal, seed = said.get("text"), said.get("seconds"), said.get("goal"), said.get("seed", 0)
    if text not in dict(_texts(room, said)) or seconds not in RACE_SECONDS_CHOICES:
        raise ClassRefused(LABELS["no_race"])
    if goal is not None and not (type(goal) in (int, float) and 0 < goal <= 8):
        raise ClassRefused(LABELS["goal_limits"])
    if type(seed) is not int or not 0 <= seed < MOST_SEED:
        raise ClassRefused(LABELS("seed_limits", most=MOST_SEED - 1))
    in_teams = said.get("teams") is True
    room.new_race(lambda n: ClassRace(n=n, text=text, seconds=seconds, in_teams=in_teams, goal=goal, seed=seed))


def _start(room: Classroom, _said: Message) -> None:
    """Queue all runs, after which nobody can change their settings."""
    whole = room.read()
    race = _current_race(whole.state, "set up")
    if not (all_ := entrants(whole, race)):
        raise ClassRefused(LABELS["no_racers"])
    room.change(_to("run", "set up"))
    for racer in all_:
        _run(room, race, racer, whole.entries[race.n][racer].settings)


def _run(room: Classroom, race: ClassRace, racer: str, chosen: RacerSettings) -> None:
    try:
        run = runs.queue_race_run(room.code, race, racer, chosen)
    except ValueError as error:
        raise ClassRefused(str(error)) from error
    room.enter(race.n, racer, chosen, run, plan_race_run(race, chosen).bits_per_nat)


def _to(stage: RaceStage, before: RaceStage) -> Callable[[ClassState], ClassState]:
    return lambda now: replace(now, race=replace(_current_race(now, before), stage=stage))


def _over(room: Classroom) -> tuple[ClassSnapshot, ClassRace, list[leaderboard.Racer]]:
    """Return a race that is over, with its racers. Raises ClassRefused if it is still running."""
    whole = room.read()
    race = _current_race(whole.state)
    places = ranked_racers(whole, race)
    if race.stage == "set up" or not leaderboard.is_race_over(places):
        raise ClassRefused(LABELS["still_running"])
    return whole, race, places


def _why(room: Classroom, _said: Message) -> None:
    """Rerun the worst settings, each time with one of the winner's values."""
    whole, race, places = _over(room)
    last = leaderboard.last_placed_racer(places)
    others = leaderboard.single_setting_variants(last.settings, places[0].settings) if last else {}
    if places[0].score is None or not others:
        raise ClassRefused(LABELS["nothing_to_compare"])
    if not any(racer.startswith(COMPARISON_PREFIX) for racer in whole.entries[race.n]):
        for name, chosen in others.items():
            _run(room, race, COMPARISON_PREFIX + name, chosen)


def _winner(room: Classroom, _said: Message) -> None:
    """Show the heads of the winner's model."""
    _, _, places = _over(room)
    if places[0].score is None:
        raise ClassRefused(LABELS["no_winner"])
    view = CurrentClassPage(address=f"heads?model={places[0].run}", by="desk")
    room.change(lambda now: replace(now, view=view))


def _attack(room: Classroom, said: Message) -> None:
    _over(room)
    room.change(_to("attack", "run") if said.get("on") is True else _to("run", "attack"))


def _shown(room: Classroom, said: Message) -> None:
    """Choose the sentences that are on the projector."""
    whole = room.read()
    race = _current_race(whole.state, "attack")
    told = said.get("racers")
    chosen = tuple(one for one in told if one in whole.attacks[race.n]) if isinstance(told, list) else ()
    room.change(lambda now: replace(now, race=replace(_current_race(now), shown=chosen[:3])))


def _done(room: Classroom, _said: Message) -> None:
    runs.stop_race_runs(room.code)
    room.change(lambda now: replace(now, race=None))


def _cost(room: Classroom, _said: Message) -> dict[str, float]:
    """Return the time that all entries take on this machine, in seconds from the first start to the last end."""
    from core.jobs.operating_system import n_slot

    whole = room.read()
    race = _current_race(whole.state)
    each = [plan_race_run(race, whole.entries[race.n][racer].settings).seconds for racer in entrants(whole, race)]
    n = runs.race_run_store().cluster().get("n_slot") or n_slot()
    return {"seconds": round(max(sum(each) / n, max(each, default=0.0))), "n_slot": n, "n": len(each)}


TEACHER_MESSAGES: Mapping[str, Callable[[Classroom, Message], object]] = {
    "race texts": _texts,
    "race": _begin,
    "race start": _start,
    "race why": _why,
    "race winner": _winner,
    "race attack": _attack,
    "race shown": _shown,
    "race done": _done,
    "race cost": _cost,
}


def _chosen(said: Message) -> RacerSettings:
    try:
        return race_settings.parse_race_settings(said.get("settings"))
    except ValueError as error:
        raise ClassRefused(str(error)) from error


def _enter(room: Classroom, who: str, said: Message) -> None:
    whole = room.read()
    race = _current_race(whole.state, "set up")
    room.enter(race.n, racer_of(whole, race, who), _chosen(said))


def _plan(room: Classroom, who: str, said: Message) -> dict[str, object]:
    """Return the cost of a racer's settings."""
    chosen = _chosen(said)
    made = plan_race_run(_current_race(room.read().state, "set up"), chosen)
    told = {"n_parameter": made.n_parameter, "n_step": made.n_step, "seconds": round(made.seconds)}
    return told | {"settings": {name: str(value) for name, value in asdict(chosen).items()}}


def _strike(room: Classroom, who: str, said: Message) -> dict[str, object]:
    """Try a sentence on the model one place ahead; the winner's is tried on the second."""
    _, race, places = _over(room)
    _current_race(room.read().state, "attack")
    me = racer_of(room.read(), race, who)
    mine, other = attacker_and_target(places, me)
    store = runs.race_run_store()
    try:
        found = compare_bits_per_byte(str(said.get("sentence")), store.folder(mine.run), store.folder(other.run))
    except AttackRefused as error:
        raise ClassRefused(str(error)) from error
    room.keep_attack(race.n, me, found)
    return found


def attacker_and_target(places: list[leaderboard.Racer], me: str) -> tuple[leaderboard.Racer, leaderboard.Racer]:
    """Return a racer and the one it attacks. Raises ClassRefused if it has no model, or no other racer has one."""
    scored = [one for one in places if one.score is not None]
    at = next((n for n, one in enumerate(scored) if one.id == me), None)
    if at is None or len(scored) < 2:
        raise ClassRefused(LABELS["no_attack"])
    return scored[at], scored[at - 1 if at else 1]


LEARNER_MESSAGES: Mapping[str, Callable[[Classroom, str, Message], object]] = {
    "enter": _enter,
    "plan": _plan,
    "attack": _strike,
}
