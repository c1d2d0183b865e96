"""What every live experiment promises: the same seed, the same record, whatever else draws on the machine."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.jobs.admission import admit
from core.jobs.store import Store
from core.train import experiment
from tests.library.learning.once import ran

N_STEP = 3
every_experiment = pytest.mark.parametrize("name", sorted(experiment.EXPERIMENTS))
OTHERWISE: list[tuple[str, dict[str, Any]]] = [
    ("bottleneck", {"d_model": 64}),
    ("budget", {"shares": "10k"}),
    ("dates", {"attention": "none"}),
    ("induction", {"n_head": 4}),
    ("lecture", {"longest": 8}),
    ("translation", {"n_layer": 1, "n_head": 4}),
    ("remember", {"furthest": 5, "asked": "always", "forget_bias": 3}),
]
# They read much before their first step, or train many models: in the full run.
LARGE = {"bottleneck", "budget", "budget-stories", "cheating", "contest", "depth", "families", "finetune", "own-tokens",
         "pixels", "scales", "scaling", "translation-rivals"}  # fmt: skip
# Each as it starts by default; in the full run some in another way, too.
WAYS = [
    *(pytest.param(one, {}, marks=[pytest.mark.full] * (one in LARGE)) for one in sorted(experiment.EXPERIMENTS)),
    *(pytest.param(*one, marks=pytest.mark.full) for one in OTHERWISE),
]


@pytest.mark.parametrize(("name", "options"), WAYS)
def test_the_seed_alone_decides_and_the_global_generator_is_left_alone(name: str, options: dict[str, Any]) -> None:
    torch.manual_seed(1)
    first = ran(name, 7, n_step=N_STEP, **options)
    torch.manual_seed(2)
    untouched = torch.get_rng_state()
    again, other = (ran(name, seed, n_step=N_STEP, **options) for seed in (7, 8))
    assert torch.initial_seed() == 2 and torch.equal(torch.get_rng_state(), untouched)
    assert first.keys() == again.keys()
    decided = [key for key in first if not key.startswith("seconds.")]  # measured time is never the same
    assert all(_alike(first[key], again[key]) for key in decided)
    assert not all(first[key].shape == other[key].shape and _alike(first[key], other[key]) for key in decided)


@every_experiment
def test_a_record_survives_packing_and_is_small(name: str) -> None:
    running = experiment.start(name, {"n_step": N_STEP}, 5)
    running.advance()
    packed = experiment.pack(running, {"name": name, "seed": 5})
    found, about = experiment.unpack(packed)
    assert len(packed) < 1_000_000
    assert about == {"name": name, "seed": 5, "step": 1, "n_step": N_STEP}
    record = running.record()
    assert found.keys() == record.keys() and all(_alike(found[key], record[key]) for key in record)


@every_experiment
@pytest.mark.parametrize("values", [{"n_step": 0}, {"n_step": 2.5}, {"n_step": True}, {"speed": 3}])
def test_wrong_options_are_refused_in_plain_words(name: str, values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"step|speed"):
        experiment.options_of(name, values)


@pytest.mark.parametrize(("name", "options"), WAYS)
def test_a_script_may_ask_for_more_than_a_browser(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    store, ceilings = Store(tmp_path), experiment.options_of(name, options).most_in_browser
    assert "n_step" in ceilings
    for option, most in ceilings.items():
        none, highest, above, twice = ({**options, option: n} for n in (0, most, most + 1, 2 * most))
        with pytest.raises(ValueError, match=f"{option}=0 must be at least 1"):
            experiment.options_of(name, none)
        assert admit({"experiment": name, "options": highest})
        with pytest.raises(ValueError, match=option.removeprefix("n_")):
            store.create("ada", {"experiment": name, "options": above}, 0)
        with pytest.raises(ValueError, match=f"{option}={2 * most}: a browser may ask for up to {most:,}, .* a script"):
            store.create("ada", {"experiment": name, "options": twice}, 0)
        assert getattr(experiment.options_of(name, twice), option) == 2 * most
        if option != "n_step":  # more steps are the same steps; a larger model has yet to fit
            running = experiment.start(name, {**twice, "n_step": N_STEP}, 5)
            running.advance()
            assert running.record()
    assert store.list("ada", experiment=name) == []


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Equal to the last bit; what is not there (nan) is not there in both."""
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
