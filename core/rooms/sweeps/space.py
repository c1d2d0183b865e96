"""A sweep request: which of the studio's settings vary, as a grid or at random, and the resulting runs."""

import math
import random
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from itertools import product
from typing import Any

from core.data.localization.labels import module_labels
from core.jobs.sweeps.sweep_store import SweepStore
from core.train.recipe_parts.table import PARTS
from core.train.recipes import LIMITS
from core.ui.training.choices_to_recipe import (
    OPTIMIZER_LABELS,
    TrainingChoices,
    default_learning_rate,
    recipe_from_choice,
)

LABELS = module_labels(__name__)

SWEEP_KIND = "settings"  # the varying thing
DIVISOR_LABELS: Mapping[int, str] = {1: LABELS["divisor.1"], 2: LABELS["divisor.2"], 4: LABELS["divisor.4"]}
MOST_VALUES = 12  # of one setting: more ticks cannot be read
AxisValue = int | float | str


@dataclass(frozen=True)
class SweepAxis:
    """A setting that can vary."""

    label: str  # on screen
    first: str  # the default values: numbers, or keys of `words`
    words: Mapping[str, str] = field(default_factory=dict)  # value -> label, for an enumeration; empty for numbers
    limits: tuple[float, float] = (0, math.inf)  # of numbers
    whole: bool = True  # True if they are integers

    @property
    def typed(self) -> str:
        """The default values as a visitor would type them."""
        return ", ".join(self.words.get(one, one) for one in self.first.split(", "))

    def read(self, typed: str) -> tuple[AxisValue, ...]:
        """Parse values, "16, 32, 64", and sort the distinct ones. Raises ValueError with a message for the user."""
        parts = [part.strip() for part in typed.replace(";", ",").split(",") if part.strip()]
        found = list(dict.fromkeys(self._one(part) for part in parts))
        if not 2 <= len(found) <= MOST_VALUES:
            raise ValueError(LABELS("too_few", setting=self.label, most=MOST_VALUES))
        return tuple(found if self.words else sorted(found))

    def _one(self, part: str) -> AxisValue:
        if self.words:
            found = next((v for v, words in self.words.items() if part.lower() in (v.lower(), words.lower())), None)
            if found is None:
                raise ValueError(
                    LABELS("no_option", setting=self.label, typed=repr(part[:20]), options=self._options())
                )
            return found
        try:
            number = float(part)
        except ValueError:
            raise ValueError(LABELS("no_number", setting=self.label, typed=repr(part[:20]))) from None
        low, high = self.limits
        if not low <= number <= high or (self.whole and number != int(number)):
            key = "not_whole_number_in" if self.whole else "not_number_in"
            raise ValueError(LABELS(key, setting=self.label, typed=part[:20], low=low, high=high))
        return int(number) if self.whole else number

    def _options(self) -> str:
        """Return "A or B or C"."""
        return reduce(lambda first, second: LABELS("or", first=first, second=second), self.words.values())

    def in_words(self, value: AxisValue) -> str:
        """Return the value's name on screen."""
        return self.words.get(str(value), value if isinstance(value, str) else f"{value:.3g}".replace("e-0", "e-"))


def _limits(name: str) -> tuple[float, float]:
    return LIMITS[name][0], LIMITS[name][1]


def _of_part(name: str, first: str) -> SweepAxis:
    """Return one of the studio's many parts as a setting that varies."""
    part = PARTS[name]
    whole = part.options is not None or isinstance(part.plain, int)
    return SweepAxis(part.label, first, part.options or {}, (part.low, part.high), whole)


PART_AXES: Mapping[str, SweepAxis] = {
    "activation": _of_part("activation", "relu, gelu, swiglu"),
    "norm": _of_part("norm", "layer, rms"),
    "norm_place": _of_part("norm_place", "pre, post"),
    "qk_norm": _of_part("qk_norm", "no, yes"),
    "kv_heads": _of_part("kv_heads", "1, 2, 4"),
    "n_warmup": _of_part("n_warmup", "0, 30, 100"),
    "decay": _of_part("decay", "linear, cosine, constant"),
    "weight_decay": _of_part("weight_decay", "0, 0.1, 0.5"),
    "dropout": _of_part("dropout", "0, 0.1, 0.2"),
}
# BERT has a different objective, so its loss is not comparable.
_KINDS = {
    "gpt": LABELS["kind.gpt"], "gru": LABELS["kind.gru"], "lstm": LABELS["kind.lstm"], "rnn": LABELS["kind.rnn"],
    "t5": "T5", "transformer": LABELS["kind.transformer"], "seq2seq": LABELS["kind.seq2seq"],
}  # fmt: skip
# By the name of the studio's choice; "length" belongs to the task.
SWEEP_AXES: Mapping[str, SweepAxis] = {
    "learning_rate": SweepAxis(
        LABELS["axis.learning_rate"], "0.003, 0.01, 0.03, 0.1, 0.3", limits=(0.00001, 5), whole=False
    ),
    "d_model": SweepAxis(LABELS["axis.d_model"], "16, 32, 64", limits=_limits("d_model")),
    "n_layer": SweepAxis(LABELS["axis.n_layer"], "1, 2, 4", limits=_limits("n_layer")),
    "n_head": SweepAxis(LABELS["axis.n_head"], "1, 2, 4", limits=_limits("n_head")),
    "context_length": SweepAxis(LABELS["axis.context_length"], "8, 16, 32, 64", limits=_limits("context_length")),
    "length": SweepAxis(LABELS["axis.length"], "4, 8, 16", limits=(1, 100)),
    "kind": SweepAxis(LABELS["axis.kind"], "gpt, gru, lstm", _KINDS),
    "batch_size": SweepAxis(LABELS["axis.batch_size"], "4, 8, 16, 32", limits=_limits("batch_size")),
    "optimizer": SweepAxis(LABELS["axis.optimizer"], "fast, adamw", {**OPTIMIZER_LABELS, "fast": "Muon"}),
    "positions": SweepAxis(
        LABELS["axis.positions"],
        "alibi, learned, none",
        {
            "alibi": LABELS["position.alibi"],
            "rotary": LABELS["position.rotary"],
            "learned": LABELS["position.learned"],
            "sinusoidal": LABELS["position.sinusoidal"],
            "relative": LABELS["position.relative"],
            "none": LABELS["position.none"],
        },
    ),
    "parts": SweepAxis(LABELS["axis.parts"], "fast, gpt2", {"fast": LABELS["part.fast"], "gpt2": LABELS["part.gpt2"]}),
    "seed": SweepAxis(LABELS["axis.seed"], "0, 1, 2", limits=(0, 2**31 - 1)),
    **PART_AXES,
}
AxisValues = Mapping[str, Sequence[AxisValue]]
SweepPoint = tuple[AxisValue, ...]  # a value of each axis, in their order


def grid_points(values: AxisValues, seed: int) -> list[SweepPoint]:
    """Return all combinations, shuffled, so that the first few already represent the whole."""
    found = list(product(*values.values()))
    random.Random(seed).shuffle(found)
    return found


def sample_points(values: AxisValues, n: int, seed: int) -> list[SweepPoint]:
    """Draw n distinct combinations at random: real numbers log-uniformly between the smallest and the largest value,
    all others from the listed values.

    Source: Bergstra and Bengio 2012, "Random search for hyper-parameter optimization".
    """
    draw = random.Random(seed)

    def value(name: str) -> AxisValue:
        some = values[name]
        is_listed = (name in SWEEP_AXES and SWEEP_AXES[name].whole) or not min(some)  # 0 has no logarithm
        return draw.choice(some) if is_listed else _between(draw, some)

    found: dict[SweepPoint, None] = {}
    for _ in range(20 * n):
        if len(found) < n:
            found[tuple(map(value, values))] = None
    return list(found)


def _between(draw: random.Random, some: Sequence[AxisValue]) -> float:
    low, high = (math.log(float(end)) for end in (min(some), max(some)))
    return float(f"{math.exp(draw.uniform(low, high)):.3g}")


def _point_settings(
    base: TrainingChoices, names: Sequence[str], point: SweepPoint, seed: int
) -> tuple[TrainingChoices, int] | None:
    """Return the studio's choice for a point, and the seed of its run; None if there is no such model.

    If the learning rate does not vary, each optimizer has its own.
    """
    given: dict[str, Any] = dict(zip(names, point, strict=True))
    of_run = int(given.pop("seed", seed))
    parts = {name: given.pop(name) for name in names if name in PARTS}
    if "length" in given:
        given["task"] = (("length", given.pop("length")),)
    choice = replace(base, **given, own_parts=(*base.own_parts, *parts.items()))
    if "learning_rate" not in names:
        choice = replace(choice, learning_rate=default_learning_rate(choice.optimizer, choice.corpus, choice.kind))
    try:
        recipe_from_choice(choice, "")
    except ValueError:  # heads that cannot share keys
        return None
    return (choice, of_run) if choice.d_model % choice.n_head == 0 else None


def tick_position(value: AxisValue, ticks: Sequence[AxisValue]) -> float:
    """Return a value's position among an axis's ticks: 0 is the first; between two of them by their logarithms."""
    if value in ticks:
        return float(ticks.index(value))
    i = min(bisect(ticks, value), len(ticks) - 1) - 1
    low, high, at = (math.log(float(one)) for one in (ticks[i], ticks[i + 1], value))
    return i + (at - low) / (high - low)


@dataclass(frozen=True, kw_only=True)
class SweepRequest:
    """A complete sweep request."""

    base: TrainingChoices  # the fixed settings
    values: Mapping[str, Sequence[AxisValue]]  # of each setting that varies, by the name of the studio's choice
    n_run: int | None = None  # number of random points; None: all combinations
    divisor: int = 1  # one in this many runs is promoted from each rung; 1: all train to the end
    seed: int = 0  # of the runs and of the random points
    points: list[SweepPoint] = field(init=False)
    n_impossible: int = field(init=False)

    def __post_init__(self) -> None:
        found = (
            grid_points(self.values, self.seed)
            if self.n_run is None
            else sample_points(self.values, self.n_run, self.seed)
        )
        possible = [point for point in found if _point_settings(self.base, list(self.values), point, self.seed)]
        object.__setattr__(self, "points", possible)
        object.__setattr__(self, "n_impossible", len(found) - len(possible))

    def runs(self, text_title: str) -> list[tuple[dict[str, object], int]]:
        """Return the recipe and seed of each run."""
        made = [_point_settings(self.base, list(self.values), point, self.seed) for point in self.points]
        return [(recipe_from_choice(choice, text_title), seed) for choice, seed in filter(None, made)]

    @property
    def name(self) -> str:
        """The name in the list of sweeps."""
        return LABELS(
            "name", settings=" × ".join(SWEEP_AXES[name].label for name in self.values), n_run=len(self.points)
        )

    def about(self) -> dict[str, object]:
        """Return facts that the picture will need later."""
        return {"ticks": {name: list(some) for name, some in self.values.items()}, "points": self.points,
                "base": asdict(self.base), "is_grid": self.n_run is None, "seed": self.seed}  # fmt: skip


def queue_sweep(sweeps: SweepStore, owner: str, request: SweepRequest, text_title: str, vocab_size: int) -> str:
    """Queue a sweep and return its id. Raises ValueError with a message for the user."""
    return sweeps.begin_sweep(
        owner,
        request.name,
        request.runs(text_title),
        divisor=request.divisor,
        vocab_size=vocab_size,
        kind=SWEEP_KIND,
        about=request.about(),
    )
