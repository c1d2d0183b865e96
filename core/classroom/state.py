"""How a class stands: what all are shown, and what they are asked. Frozen; the store keeps it as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Stage = Literal["set up", "run", "attack"]
Mode = Literal["with me", "own pace", "free"]
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True, kw_only=True)
class View:
    """What is looked at.

    Attributes:
        address: page and all that its address says, "masks?layer=1", below the app's own address.
        exhibit: the one at the top of the screen, by its place on the page; -1 before the first.
        by: the page of the teacher's that has moved it; it need not follow itself.
    """

    address: str = ""
    exhibit: int = -1
    by: str = ""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The question that the class has before it.

    Attributes:
        n: its number.
        round: 1, or more after "vote again".
        is_open: whether one may answer in time.
        is_revealed: whether all see how the class has answered.
        is_answered: whether all see what was computed, too.
    """

    n: int
    round: int = 1
    is_open: bool = True
    is_revealed: bool = False
    is_answered: bool = False


@dataclass(frozen=True, kw_only=True)
class Lift:
    """A learner is asked to show the own screen to all."""

    learner: str
    is_granted: bool = False


@dataclass(frozen=True, kw_only=True)
class Race:
    """The race that the class is in.

    Attributes:
        n: its number.
        text: what all learn from, see `core.data.corpora`.
        seconds: the work that each run has: as much as one core of a machine of reference does in so long.
        in_teams: whether four who joined one after the other race together.
        goal: bits per byte; the smallest model below it wins. None: the lowest loss does.
        seed: of all runs.
        shown: racers whose sentence is on the projector.
    """

    n: int
    text: str
    seconds: int
    in_teams: bool = False
    goal: float | None = None
    seed: int = 0
    stage: Stage = "set up"
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class State:
    """The whole.

    Attributes:
        mode: all look at what the teacher looks at; or go from step `first` to `last` of the lesson by themselves; or
            go anywhere.
        is_paused: "eyes up front": the learners' screens are covered.
        is_locked: whether newcomers are turned away.
        has_names: whether the projector shows who is who, at this moment.
        picks: answers that are shown on the projector, by question, round and learner, in order.
    """

    mode: Mode = "with me"
    first: int = 1
    last: int = 1
    is_paused: bool = False
    is_locked: bool = False
    has_names: bool = False
    view: View = View()
    asked: Asked | None = None
    lift: Lift | None = None
    race: Race | None = None
    picks: tuple[tuple[int, int, str], ...] = ()


def from_json(kept: Mapping[str, Any]) -> State:
    """What `asdict` made of a state."""
    made: dict[str, Any] = {**kept, "view": View(**kept["view"]), "picks": tuple(map(tuple, kept["picks"]))}
    made["asked"] = Asked(**kept["asked"]) if kept["asked"] else None
    made["lift"] = Lift(**kept["lift"]) if kept["lift"] else None
    made["race"] = race_from_json(kept["race"]) if kept.get("race") else None
    return State(**made)


def race_from_json(kept: Mapping[str, Any]) -> Race:
    """What `asdict` made of a race."""
    return Race(**{**kept, "shown": tuple(kept["shown"])})
