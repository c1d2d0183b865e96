"""The contract of every live experiment: the same seed gives the same record, whatever else uses random numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.jobs.admission import check_recipe_cost
from core.jobs.store import RunStore
from core.train import experiment
from core.train.device import single_torch_thread
from core.train.experiments.base import Experiment
from tests.counts import count, in_turn
from tests.library.learning.once import finished, ran

N_STEP = count(2, 3)
every_experiment = pytest.mark.parametrize(  # its record is joined from 84 models: half a minute
    "name", [pytest.param(n, marks=[pytest.mark.full] * (n == "all-switches")) for n in sorted(experiment.EXPERIMENTS)]
)
Way = tuple[str, dict[str, Any]]  # an experiment, and options that are not its defaults
OTHERWISE: list[Way] = [
    ("bottleneck", {"d_model": 64}),
    ("budget", {"shares": "10k"}),
    ("dates", {"attention": "none"}),
    ("induction", {"n_head": 4}),
    ("lecture", {"longest": 8}),
    ("translation", {"n_layer": 1, "n_head": 4}),
    ("remember", {"furthest": 5, "asked": "always", "forget_bias": 3}),
]
# They read much before their first step, or train many models: in the full run.
LARGE = {"adapters", "adapters-seeds", "all-switches", "bottleneck", "budget", "budget-stories", "cheating", "contest",
         "depth", "draft", "families", "features", "finetune", "long-texts-seeds", "own-tokens", "pixels", "scales",
         "scaling"}  # fmt: skip
# An eighth of the others with each change, each as it starts by default; in the full run some in another way, too.
WAYS = [
    *in_turn(((one, {}) for one in sorted(experiment.EXPERIMENTS) if one not in LARGE), 8),
    *(pytest.param((one, {}), marks=pytest.mark.full) for one in sorted(LARGE)),
    *(pytest.param(one, marks=pytest.mark.full) for one in OTHERWISE),
]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_seed_alone_decides_and_the_global_generator_is_left_alone(way: Way) -> None:
    name, options = way
    torch.manual_seed(1)
    first = ran(name, 7, n_step=N_STEP, **options)
    torch.manual_seed(2)
    untouched = torch.get_rng_state()
    again = ran(name, 7, n_step=N_STEP, **options)
    with single_torch_thread():
        running = experiment.make_experiment(name, {"n_step": N_STEP, **options}, 8)
        survives_packing(running)
        other = finished(running)
    assert torch.initial_seed() == 2 and torch.equal(torch.get_rng_state(), untouched)
    assert first.keys() == again.keys()
    decided = [key for key in first if not key.startswith("seconds.")]  # measured time is never the same
    assert all(_alike(first[key], again[key]) for key in decided)
    assert not all(first[key].shape == other[key].shape and _alike(first[key], other[key]) for key in decided)


def survives_packing(running: Experiment) -> None:
    """Its record after the first step is read again as it was, and is small."""
    running.advance()
    packed = experiment.pack_record(running, {"name": "any", "seed": 5})
    found, about = experiment.unpack_record(packed)
    assert len(packed) < 1_000_000
    assert about == {"name": "any", "seed": 5, "step": 1, "n_step": N_STEP}
    record = running.record()
    assert found.keys() == record.keys() and all(_alike(found[key], record[key]) for key in record)


@pytest.mark.parametrize("name", in_turn(sorted(LARGE - {"all-switches"}), 4))
def test_a_large_record_survives_packing_and_is_small(name: str) -> None:
    survives_packing(experiment.make_experiment(name, {"n_step": N_STEP}, 5))


@every_experiment
def test_wrong_options_are_refused_in_plain_words(name: str) -> None:
    for steps in (0, 2.5, True, "many"):
        with pytest.raises(ValueError, match="n_step"):
            experiment.parse_experiment_options(name, {"n_step": steps})
    with pytest.raises(ValueError, match="no input speed"):
        experiment.parse_experiment_options(name, {"speed": 3})
    for option, control in experiment.experiment_module(name).Options.controls():
        if control.kind in ("segmented", "select", "slider"):
            with pytest.raises(ValueError, match=r"is not (one of|a whole number from)"):
                experiment.parse_experiment_options(name, {option: 1_000_000})


@pytest.mark.parametrize(("name", "options"), [*((one, {}) for one in sorted(experiment.EXPERIMENTS)), *OTHERWISE])
def test_a_script_may_ask_for_more_steps_than_a_browser(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    made = experiment.parse_experiment_options(name, options)
    most = made.control("n_step").resolve(made).options["most"]
    assert check_recipe_cost({"experiment": name, "options": {**options, "n_step": most}})
    with pytest.raises(ValueError, match=f"n_step={most + 1}: a browser may ask for up to {most:,}, .* a script"):
        RunStore(tmp_path).create("ada", {"experiment": name, "options": {**options, "n_step": most + 1}}, 0)
    assert experiment.parse_experiment_options(name, {**options, "n_step": 2 * most}).n_step == 2 * most


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Equal to the last bit; what is not there (nan) is not there in both."""
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
