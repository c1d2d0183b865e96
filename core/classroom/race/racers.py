"""The racers of a class and their results so far."""

from collections.abc import Iterator

from core.classroom.race import leaderboard, runs
from core.classroom.race.leaderboard import Racer
from core.classroom.state import ClassRace, ClassSnapshot
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

TEAM_SIZE = 4
TEAM_PREFIX = "team "  # prefix of a team's id: "team 1"
COMPARISON_PREFIX = "why "  # prefix of the runs that explain the worst result: "why learning_rate"


def racer_of(whole: ClassSnapshot, race: ClassRace, learner: str) -> str:
    """Return the racer a learner belongs to: the learner, or a team of learners who joined one after another."""
    if not race.in_teams:
        return learner
    return f"{TEAM_PREFIX}{list(whole.learners).index(learner) // TEAM_SIZE + 1}"


def racer_members(whole: ClassSnapshot, race: ClassRace, racer: str) -> list[str]:
    """Return the names of the learners who belong to a racer."""
    return [one.name for one in whole.present if racer_of(whole, race, one.id) == racer]


def entrants(whole: ClassSnapshot, race: ClassRace) -> list[str]:
    """Return the racers that have entered and are still in the class."""
    there = {racer_of(whole, race, one.id) for one in whole.present}
    return [racer for racer in whole.entries[race.n] if racer in there]


def ranked_racers(whole: ClassSnapshot, race: ClassRace) -> list[Racer]:
    """Return all racers that have entered, best first."""
    return leaderboard.rank_racers(list(_standing(whole, race, entrants(whole, race))), race.goal)


def runs_explaining_worst_result(whole: ClassSnapshot, race: ClassRace) -> list[Racer]:
    """Return the runs that explain the worst result, best first."""
    return leaderboard.rank_racers(
        list(_standing(whole, race, [one for one in whole.entries[race.n] if one.startswith(COMPARISON_PREFIX)]))
    )


def _name(racer: str) -> str:
    """Return the name of a team; other racers, which explain the worst result, are shown without one."""
    return LABELS("team", n=racer.removeprefix(TEAM_PREFIX)) if racer.startswith(TEAM_PREFIX) else racer


def _standing(whole: ClassSnapshot, race: ClassRace, wanted: list[str]) -> Iterator[Racer]:
    found = runs.class_race_runs(whole.code) if race.stage != "set up" else {}
    for racer in wanted:
        entry = whole.entries[race.n][racer]
        run = found.get(entry.run)
        name = whole.learners[racer].name if racer in whole.learners else _name(racer)
        if run is None:
            state = "set up" if race.stage == "set up" else "stopped"  # its server died before it was queued
            yield Racer(id=racer, name=name, settings=entry.settings, n_parameter=0, n_step=1, state=state)
            continue
        curve = tuple((step / run.n_step, loss * entry.bits_per_nat) for step, loss in runs.race_run_losses(run))
        yield Racer(
            id=racer, name=name, settings=entry.settings, n_parameter=run.n_parameter, n_step=run.n_step, run=run.id,
            state=run.state, step=run.step, curve=curve, message=run.message, has_diverged=run.has_diverged,
            queued=run.created,
        )  # fmt: skip
