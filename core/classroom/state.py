"""The state of a class as frozen records, which the store keeps as JSON; and why a class refuses a request."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from core.classroom.asking.questions import Question
from core.classroom.race.settings import Settings

Stage = Literal["set up", "run", "attack"]
Mode = Literal["with me", "own pace", "free"]
MODES: tuple[Mode, ...] = get_args(Mode)
OVER = "This class has ended."


class ClassRefused(ValueError):
    """A request that cannot be fulfilled; the message says why, in plain words."""


class TryAgain(ClassRefused):
    """It may be possible in a moment: the screen asks again by itself, after `seconds`."""

    def __init__(self, why: str, seconds: float) -> None:
        super().__init__(why)
        self.seconds = seconds


class ClassBusy(TryAgain):
    """Another process or thread writes to the class's file for longer than is waited for."""


class ClassDamaged(ClassRefused):
    """The file of a class cannot be read."""


@dataclass(frozen=True, kw_only=True)
class View:
    """The page that is looked at."""

    address: str = ""  # page and all that its address says, "masks?layer=1", below the app's own address
    exhibit: int = -1  # the one at the top of the screen, by its place on the page; -1 before the first
    by: str = ""  # the page of the teacher's that has moved it; it need not follow itself


@dataclass(frozen=True, kw_only=True)
class OpenQuestion:
    """The question that the class has before it."""

    n: int  # its number
    round: int = 1  # 1, or more after "vote again"
    is_open: bool = True  # whether one may answer in time
    is_revealed: bool = False  # whether all see how the class has answered
    is_answered: bool = False  # whether all see what was computed, too


@dataclass(frozen=True, kw_only=True)
class ScreenRequest:
    """A learner is asked to show the own screen to all."""

    learner: str
    is_granted: bool = False


@dataclass(frozen=True, kw_only=True)
class Race:
    """The race that the class is in."""

    n: int  # its number
    text: str  # what all learn from, see `core.data.corpora`
    seconds: int  # the work that each run has: as much as one core of a machine of reference does in so long
    in_teams: bool = False  # whether four who joined one after the other race together
    goal: float | None = None  # bits per byte; the smallest model below it wins. None: the lowest loss does
    seed: int = 0  # of all runs
    stage: Stage = "set up"
    shown: tuple[str, ...] = ()  # racers whose sentence is on the projector


@dataclass(frozen=True, kw_only=True)
class State:
    """The whole."""

    mode: Mode = "with me"  # all follow the teacher; or go from step `first` to `last` by themselves; or anywhere
    first: int = 1
    last: int = 1
    is_paused: bool = False  # "eyes up front": the learners' screens are covered
    is_locked: bool = False  # newcomers are turned away
    has_names: bool = False  # the projector shows who is who, at this moment
    view: View = View()
    asked: OpenQuestion | None = None
    lift: ScreenRequest | None = None
    race: Race | None = None
    picks: tuple[tuple[int, int, str], ...] = ()  # answers on the projector: question, round, learner


def from_json(kept: Mapping[str, Any]) -> State:
    """Read back `asdict` of a state."""
    made = {**kept, "view": View(**kept["view"]), "picks": tuple(map(tuple, kept["picks"]))}
    made["asked"] = OpenQuestion(**kept["asked"]) if kept["asked"] else None
    made["lift"] = ScreenRequest(**kept["lift"]) if kept["lift"] else None
    made["race"] = race_from_json(kept["race"]) if kept.get("race") else None
    return State(**made)


def race_from_json(kept: Mapping[str, Any]) -> Race:
    """Read back `asdict` of a race."""
    return Race(**{**kept, "shown": tuple(kept["shown"])})


@dataclass(frozen=True)
class Learner:
    """One who has joined."""

    id: str
    name: str
    joined: float
    seen: float  # when the browser last spoke
    active: float  # when its owner last did something
    place: Mapping[str, object]  # what the browser says of itself, checked: address, lesson, step, how the step stands
    hand: float | None  # since when the hand is up; None: it is not
    is_out: bool  # sent out by the teacher
    came: str
    owner: str | None


@dataclass(frozen=True)
class Answer:
    """A learner's answer."""

    learner: str
    value: Any
    at: float
    is_late: bool


@dataclass(frozen=True)
class Entry:
    """A racer's entry."""

    settings: Settings
    run: str  # its id, once it is in line
    bits_per_nat: float  # see `core.classroom.race.plan.Plan`


@dataclass(frozen=True)
class Snapshot:
    """A class as of one moment."""

    code: str
    begun: float
    state: State
    learners: Mapping[str, Learner]
    questions: Mapping[int, Question]
    answers: Mapping[tuple[int, int], tuple[Answer, ...]]  # by (question, round), in order; of those who are in
    races: Mapping[int, Race]  # by number
    entries: Mapping[int, Mapping[str, Entry]]  # of each race, by racer
    attacks: Mapping[int, Mapping[str, Any]]  # of each race, the best of each racer
    board: tuple[str, str]  # key and address of what stands on the projector, see `Classroom.put_board`; "" for none
    keys: Mapping[str, str]  # digests of the keys of its desk and its projector

    @property
    def present(self) -> tuple[Learner, ...]:
        """Learners who are in, in the order of joining."""
        return tuple(one for one in self.learners.values() if not one.is_out)
