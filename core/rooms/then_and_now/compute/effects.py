"""What one switch changed: the loss, with an error bar over the seeds, the cache, the parameters and the speed."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit  # type: ignore[import-untyped]

from core.inspect.costs import model_cost
from core.rooms.then_and_now.compute.switches import STATES, config, others, setting
from core.rooms.then_and_now.compute.training import N_SEED
from core.rooms.then_and_now.experiments.all_switches import name_of

BYTES = 4  # of a number in single precision
CONFIDENCE = 0.95


class Spread(NamedTuple):
    """A mean over seeds, and its standard error: the deviation of the seeds, with n - 1, divided by the root of n."""

    mean: float
    error: float


def spread(values: NDArray[np.floating]) -> Spread:
    """Of one value for each seed, two seeds at least."""
    return Spread(float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values))))


class Effect(NamedTuple):
    """What one switch did to a block, all else the same."""

    state: str  # to which the switch was set
    loss: Spread  # its change in nats per character; each seed beside its own
    cache: tuple[int, int]  # bytes of keys and values for each token, before and after
    parameters: int  # how many more there are
    speed: float  # tokens read in a second of training, as a multiple of before

    @property
    def title(self) -> str:
        return STATES[self.state][1].name

    @property
    def paper(self) -> str:
        return STATES[self.state][1].paper


def noise(found: Sequence[Effect], n_seed: int = N_SEED) -> float:
    """How far from 0 a change of the loss may lie by the luck of the seeds alone, in 19 of 20 cases.

    Three seeds tell little of their own spread, so the squared errors of all switches are averaged: Student's t with
    n_seed - 1 degrees of freedom for each.

    Source: Student 1908, The Probable Error of a Mean.
    """
    return luck(len(found), n_seed) * float(np.sqrt(np.mean([one.loss.error**2 for one in found])))


def luck(n: int, n_seed: int = N_SEED) -> float:
    """How many standard errors from 0 a mean may lie by luck in 19 of 20 cases, where n errors were averaged."""
    return float(stdtrit(n * (n_seed - 1), (1 + CONFIDENCE) / 2))


def of_all(record: Mapping[str, NDArray[np.generic]], start: str) -> tuple[Effect, ...]:
    """Of every switch by itself on the block of 2017 or today's; the one that lowers the loss most first."""
    found = [effect(record, start, state) for state in others(start)]
    return tuple(sorted(found, key=lambda one: one.loss.mean))


def final(record: Mapping[str, NDArray[np.generic]], name: str) -> NDArray[np.float64]:
    """(seeds,) the last loss of a setting."""
    return np.asarray(record[f"curve.{name}"][-1], np.float64)


def added(record: Mapping[str, NDArray[np.generic]], start: str, states: Sequence[str]) -> NDArray[np.float64]:
    """(seeds,) the changes of the loss by each of these switches alone, added up; record: that of all switches."""
    plain = final(record, name_of(start))
    return sum((final(record, name_of(start, state)) - plain for state in states), np.zeros_like(plain))


def effect(record: Mapping[str, NDArray[np.generic]], start: str, state: str) -> Effect:
    """Of one switch on the block of 2017 or today's; record: that of all switches."""
    before, after = name_of(start), name_of(start, state)
    pace = {name: record[f"steps.{name}"] / np.maximum(record[f"seconds.{name}"], 1e-9) for name in (before, after)}
    kept = [BYTES * model_cost.cache_numbers(config(one, 2), 1) for one in (setting(start), setting(start, state))]
    return Effect(
        state,
        spread(final(record, after) - final(record, before)),
        (kept[0], kept[1]),
        int(record[f"parameters.{after}"]) - int(record[f"parameters.{before}"]),
        float(np.mean(pace[after] / pace[before])),
    )
