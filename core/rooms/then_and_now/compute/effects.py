"""The effect of one switch: on the loss, with an error bar over seeds, the cache, the parameters and the speed."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit  # type: ignore[import-untyped]

from core.inspect.costs import model_cost
from core.rooms.then_and_now.compute.switches import SWITCH_STATES, config, make_setting, other_states
from core.rooms.then_and_now.compute.training import N_SEED
from core.rooms.then_and_now.experiments.all_switches import setting_name

BYTES_PER_NUMBER = 4  # per number in single precision
CONFIDENCE = 0.95


class SeedSpread(NamedTuple):
    """A mean over seeds, and its standard error: the standard deviation (with n - 1) divided by the root of n."""

    mean: float
    error: float


def seed_spread(values: NDArray[np.floating]) -> SeedSpread:
    """Return mean and standard error of one value per seed, for at least two seeds."""
    return SeedSpread(float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values))))


class SwitchEffect(NamedTuple):
    """The effect of one switch on a block, with everything else unchanged."""

    state: str  # the new state of the switch
    loss: SeedSpread  # its change in nats per character, paired by seed
    cache: tuple[int, int]  # bytes of keys and values per token, before and after
    parameters: int  # additional parameters
    speed: float  # training tokens per second, relative to before

    @property
    def title(self) -> str:
        return SWITCH_STATES[self.state][1].name

    @property
    def paper(self) -> str:
        return SWITCH_STATES[self.state][1].paper


def noise_band(found: Sequence[SwitchEffect], n_seed: int = N_SEED) -> float:
    """Return how far from 0 a change of the loss may lie by chance alone, in 19 of 20 cases.

    Three seeds say little about their own spread, so the squared errors of all switches are averaged: Student's t with
    n_seed - 1 degrees of freedom for each.

    Source: Student 1908, The Probable Error of a Mean.
    """
    return chance_factor(len(found), n_seed) * float(np.sqrt(np.mean([one.loss.error**2 for one in found])))


def chance_factor(n: int, n_seed: int = N_SEED) -> float:
    """Return how many standard errors a mean may be from 0 by chance in 19 of 20 cases, if n errors were averaged."""
    return float(stdtrit(n * (n_seed - 1), (1 + CONFIDENCE) / 2))


def all_switch_effects(record: Mapping[str, NDArray[np.generic]], start: str) -> tuple[SwitchEffect, ...]:
    """Return the effect of each switch alone on the block of 2017 or today's, largest reduction of the loss first."""
    found = [switch_effect(record, start, state) for state in other_states(start)]
    return tuple(sorted(found, key=lambda one: one.loss.mean))


def final_losses(record: Mapping[str, NDArray[np.generic]], name: str) -> NDArray[np.float64]:
    """Return (seeds,) the last loss of a setting."""
    return np.asarray(record[f"curve.{name}"][-1], np.float64)


def summed_changes(record: Mapping[str, NDArray[np.generic]], start: str, states: Sequence[str]) -> NDArray[np.float64]:
    """Return (seeds,) the summed changes of the loss by each of these switches alone; record: of `all-switches`."""
    plain = final_losses(record, setting_name(start))
    return sum((final_losses(record, setting_name(start, state)) - plain for state in states), np.zeros_like(plain))


def switch_effect(record: Mapping[str, NDArray[np.generic]], start: str, state: str) -> SwitchEffect:
    """Return the effect of one switch on the block of 2017 or today's; record: of `all-switches`."""
    before, after = setting_name(start), setting_name(start, state)
    pace = {name: record[f"steps.{name}"] / np.maximum(record[f"seconds.{name}"], 1e-9) for name in (before, after)}
    kept = [
        BYTES_PER_NUMBER * model_cost.count_cache_numbers(config(one, 2), 1)
        for one in (make_setting(start), make_setting(start, state))
    ]
    return SwitchEffect(
        state,
        seed_spread(final_losses(record, after) - final_losses(record, before)),
        (kept[0], kept[1]),
        int(record[f"parameters.{after}"]) - int(record[f"parameters.{before}"]),
        float(np.mean(pace[after] / pace[before])),
    )
