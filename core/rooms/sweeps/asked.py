"""A sweep as it is asked for: which settings vary, and all that stays; from that to the runs that are queued."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from core.jobs.sweeps.store import Sweeps
from core.rooms.sweeps.space import AXES, Point, Value, drawn, grid, settings
from core.ui.training.choices import Choice, recipe_of

KIND = "settings"  # what varies
DIVISORS: Mapping[int, str] = {1: "no", 2: "half go on", 4: "a quarter goes on"}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """All of it.

    Attributes:
        base: what stays.
        values: of each setting that varies, by the name of the studio's choice.
        n_run: drawn at random; None: all combinations.
        divisor: one run of so many goes on from each rung; 1: all train to the end.
        seed: of the runs and of what is drawn.
    """

    base: Choice
    values: Mapping[str, Sequence[Value]]
    n_run: int | None = None
    divisor: int = 1
    seed: int = 0
    points: list[Point] = field(init=False)
    n_impossible: int = field(init=False)

    def __post_init__(self) -> None:
        found = grid(self.values, self.seed) if self.n_run is None else drawn(self.values, self.n_run, self.seed)
        possible = [point for point in found if settings(self.base, list(self.values), point, self.seed)]
        object.__setattr__(self, "points", possible)
        object.__setattr__(self, "n_impossible", len(found) - len(possible))

    def runs(self, text_title: str) -> list[tuple[dict[str, Any], int]]:
        """Recipe and seed of each run."""
        made = [settings(self.base, list(self.values), point, self.seed) for point in self.points]
        return [(recipe_of(choice, text_title), seed) for choice, seed in filter(None, made)]

    @property
    def name(self) -> str:
        """What the list of sweeps calls it."""
        return " × ".join(AXES[name].label for name in self.values) + f", {len(self.points)} runs"

    def about(self) -> dict[str, Any]:
        """What the picture needs to know later."""
        return {"ticks": {name: list(some) for name, some in self.values.items()}, "points": self.points,
                "base": asdict(self.base), "is_grid": self.n_run is None, "seed": self.seed}  # fmt: skip


def begin(sweeps: Sweeps, owner: str, asked: Asked, text_title: str, vocab_size: int) -> str:
    """Queue it; its id. Raises ValueError in plain words."""
    return sweeps.begin_sweep(
        owner,
        asked.name,
        asked.runs(text_title),
        divisor=asked.divisor,
        vocab_size=vocab_size,
        kind=KIND,
        about=asked.about(),
    )
