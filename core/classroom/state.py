"""The state of a class as frozen records, which are stored as JSON, and the errors for refused requests."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from core.classroom.question_types.questions import ClassQuestion
from core.classroom.race.race_settings import RacerSettings
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

RaceStage = Literal["set up", "run", "attack"]
ClassMode = Literal["with me", "own pace", "free"]
MODES: tuple[ClassMode, ...] = get_args(ClassMode)


class ClassRefused(ValueError):
    """The request can't be fulfilled; the message says why and is fit to be shown."""


class ClassEnded(ClassRefused):
    """The class has ended."""

    def __init__(self) -> None:
        super().__init__(LABELS["ended"])


class RetryLater(ClassRefused):
    """The request may be possible in a moment; the screen repeats it by itself after `seconds`."""

    def __init__(self, why: str, seconds: float) -> None:
        super().__init__(why)
        self.seconds = seconds


class ClassBusy(RetryLater):
    """Another process or thread has been writing to the class's file for too long."""


class ClassDamaged(ClassRefused):
    """The file of a class can't be read."""


@dataclass(frozen=True, kw_only=True)
class CurrentClassPage:
    """The page that the class is looking at."""

    address: str = ""  # the page with its parameters, "masks?layer=1", below the app's own address
    exhibit: int = -1  # the one at the top of the screen, by its place on the page; -1 before the first
    by: str = ""  # the teacher's page that has set it and so need not follow


@dataclass(frozen=True, kw_only=True)
class OpenQuestion:
    """The current question of the class."""

    n: int  # its number
    round: int = 1  # 1, or more after "vote again"
    is_open: bool = True  # False: answers are late
    is_revealed: bool = False  # True if all see the class's answers
    is_answered: bool = False  # True if all see the computed answer, too


@dataclass(frozen=True, kw_only=True)
class ScreenShareInvitation:
    """A request to a learner to show their screen to all."""

    learner: str
    is_granted: bool = False


@dataclass(frozen=True, kw_only=True)
class ClassRace:
    """A race of the class."""

    n: int  # its number
    text: str  # the training text, see `core.data.corpora`
    seconds: int  # each run's work, in seconds on one core of the reference machine
    in_teams: bool = False  # True if every four learners in a row race together
    goal: float | None = None  # bits per byte; the smallest model below it wins. None: the lowest loss does
    seed: int = 0  # of all runs
    stage: RaceStage = "set up"
    shown: tuple[str, ...] = ()  # racers whose sentence is on the projector


@dataclass(frozen=True, kw_only=True)
class ClassState:
    """The state of a class as its teacher has set it."""

    mode: ClassMode = "with me"  # all follow the teacher, or move freely from step `first` to `last`, or anywhere
    first: int = 1
    last: int = 1
    is_paused: bool = False  # "eyes up front": the learners' screens are covered
    is_locked: bool = False  # newcomers are turned away
    has_names: bool = False  # the projector currently shows names
    view: CurrentClassPage = CurrentClassPage()
    asked: OpenQuestion | None = None
    lift: ScreenShareInvitation | None = None
    race: ClassRace | None = None
    picks: tuple[tuple[int, int, str], ...] = ()  # answers on the projector: question, round, learner


def class_state_from_json(kept: Mapping[str, Any]) -> ClassState:
    """Read back `asdict` of a state."""
    made = {**kept, "view": CurrentClassPage(**kept["view"]), "picks": tuple(map(tuple, kept["picks"]))}
    made["asked"] = OpenQuestion(**kept["asked"]) if kept["asked"] else None
    made["lift"] = ScreenShareInvitation(**kept["lift"]) if kept["lift"] else None
    made["race"] = race_from_json(kept["race"]) if kept.get("race") else None
    return ClassState(**made)


def race_from_json(kept: Mapping[str, Any]) -> ClassRace:
    """Read back `asdict` of a race."""
    return ClassRace(**{**kept, "shown": tuple(kept["shown"])})


@dataclass(frozen=True)
class Learner:
    """A learner who has joined the class."""

    id: str
    name: str
    joined: float
    seen: float  # when the browser last sent a message
    active: float  # when its owner last did something
    place: Mapping[str, object]  # the browser's position, checked: address, lesson, step, state of the step
    hand: float | None  # the time when the hand was raised; None: it isn't
    is_out: bool  # sent out by the teacher
    came: str
    owner: str | None


@dataclass(frozen=True)
class LearnerAnswer:
    """A learner's answer."""

    learner: str
    value: Any
    at: float
    is_late: bool


@dataclass(frozen=True)
class RaceEntry:
    """A racer's entry."""

    settings: RacerSettings
    run: str  # its id, once it is queued
    bits_per_nat: float  # see `core.classroom.race.plan.RaceRunPlan`


@dataclass(frozen=True)
class ClassSnapshot:
    """A class at one moment."""

    code: str
    begun: float
    state: ClassState
    learners: Mapping[str, Learner]
    questions: Mapping[int, ClassQuestion]
    answers: Mapping[tuple[int, int], tuple[LearnerAnswer, ...]]  # by (question, round), in order; of present learners
    races: Mapping[int, ClassRace]  # by number
    entries: Mapping[int, Mapping[str, RaceEntry]]  # of each race, by racer
    attacks: Mapping[int, Mapping[str, Any]]  # of each race, the best of each racer
    board: tuple[str, str]  # key and address of the projector's page, see `Classroom.put_board`; "" for none
    keys: Mapping[str, str]  # digests of the keys of its desk and its projector

    @property
    def present(self) -> tuple[Learner, ...]:
        """The learners who haven't been sent out, in order of joining."""
        return tuple(one for one in self.learners.values() if not one.is_out)
