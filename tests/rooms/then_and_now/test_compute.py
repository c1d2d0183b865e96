"""The nine switches: each changes what it says and nothing else, all get equal work, error bars are numpy's."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
import scipy.stats
import torch

from core.inspect.block_differences import differences_from_lesson_block
from core.inspect.costs import model_cost
from core.models import registry
from core.rooms.then_and_now import prices, your_switches
from core.rooms.then_and_now.compute import effects, training
from core.rooms.then_and_now.compute.switches import (
    CONTEXT,
    STARTS,
    SWITCH_STATES,
    SWITCHES,
    THEN,
    TODAY,
    config,
    flipped_states,
    make_setting,
    other_states,
)
from core.train import experiment
from core.train.optimizers import AdamW

VOCAB_SIZE = 104
# What the library's own words say of a block of 2017 and of today's, beside lesson 7's.
BLOCKS = {
    THEN: {"norms after the addition (post-norm)", "ReLU", "embeddings times 8"},
    TODAY: {"RMSNorm", "SwiGLU", "no biases", "normalized queries and keys", "keys and values shared by several heads",
            "rotary positions", "embeddings times 8"},
}  # fmt: skip
# state -> the fields of the config that its switch is about
FIELDS = {
    "place": {"block.norm_first"},
    "norm": {"block.norm"},
    "feed-forward": {"block.activation", "d_ff"},
    "positions": {"positions"},
    "biases": {"block.bias"},
    "heads": {"n_kv_head"},
    "output": {"tied"},
    "queries": {"block.qk_norm"},
    "training": set(),
}


def flat(given: Any) -> dict[str, Any]:
    """All fields of a config, those of its block as "block.<name>"."""
    fields = asdict(given)
    block = {f"block.{name}": value for name, value in fields.pop("block").items()}
    return block | fields.pop("modern") | fields


@pytest.mark.parametrize("start", STARTS)
def test_a_switch_changes_its_own_part_and_nothing_else(start: str) -> None:
    """Catches a state that sets a field of another switch, and one that sets nothing."""
    base = flat(config(make_setting(start), VOCAB_SIZE))
    assert (
        set(differences_from_lesson_block(registry.build_empty(config(make_setting(start), VOCAB_SIZE))) or ())
        == BLOCKS[start]
    )
    for state in other_states(start):
        changed = flat(config(make_setting(start, state), VOCAB_SIZE))
        moved = {name for name in base if base[name] != changed[name]}
        # GELU and ReLU are both two layers: the width stays
        assert moved <= FIELDS[SWITCH_STATES[state][0]] and bool(moved) == bool(FIELDS[SWITCH_STATES[state][0]]), state


@pytest.mark.parametrize("start", STARTS)
def test_all_have_the_same_work_within_one_step(start: str) -> None:
    """Catches a budget that is counted for another size, or rounded away."""
    budget = training.N_STEP * model_cost.training_step_cost(config(make_setting(THEN), VOCAB_SIZE), CONTEXT).total
    for states in ((), *((state,) for state in other_states(start))):
        given = make_setting(start, *states)
        once = model_cost.training_step_cost(config(given, VOCAB_SIZE), CONTEXT).total
        assert abs(training.steps_at_equal_work(given, training.N_STEP, VOCAB_SIZE) * once - budget) <= once / 2


def test_a_gated_feed_forward_has_no_more_weights_than_a_plain_one() -> None:
    count = {
        state: sum(w.numel() for w in registry.build_empty(config(make_setting(THEN, state), VOCAB_SIZE)).parameters())
        for state in SWITCHES["feed-forward"].states
        if state != "relu"
    }
    assert count["swiglu"] == pytest.approx(count["gelu"], rel=0.002)


def test_schedules_warm_up_and_come_down_as_they_say() -> None:
    """Against the formulas written out: Vaswani's in steps, and torch's cosine."""
    n_step, n_up = 200, 20
    root = training.inverse_root_schedule(n_step)
    paper = [min((t + 1) ** -0.5, (t + 1) * n_up**-1.5) * n_up**0.5 for t in range(n_step)]
    assert [root(t) for t in range(n_step)] == pytest.approx(paper)
    weight = torch.nn.Parameter(torch.zeros(1))
    torchs = torch.optim.lr_scheduler.CosineAnnealingLR(
        torch.optim.SGD([weight], lr=1.0), n_step - n_up, training.FINAL_RATE_SHARE
    )
    came = []
    for _ in range(n_step - n_up):
        came.append(torchs.get_last_lr()[0])
        torchs.optimizer.step()
        torchs.step()
    cosine = training.cosine_schedule(n_step)
    assert [cosine(t) for t in range(n_up, n_step)] == pytest.approx(came)
    assert [cosine(t) for t in range(n_up)] == pytest.approx([(t + 1) / n_up for t in range(n_up)])


def test_the_switch_of_the_training_moves_the_optimizer_alone() -> None:
    by_name = {
        name: training.switch_trainer(make_setting(THEN, name), VOCAB_SIZE, 3, 10)
        for name in SWITCHES["training"].states
    }
    first, *rest = (dict(one.model.named_parameters()) for one in by_name.values())
    assert all(torch.equal(w, other[name]) for other in rest for name, w in first.items())
    adam, adamw, muon = (one.optimizer for one in by_name.values())
    assert isinstance(adam, AdamW) and isinstance(adamw, AdamW)
    assert (adam.weight_decay, adamw.weight_decay) == (0, 0.1)
    assert {name for group in muon.muon.groups for name in [group]} and not isinstance(muon, AdamW)


def test_errors_are_numpys_and_the_noise_is_students() -> None:
    """Catches n in place of n - 1, and one standard error taken for an interval."""
    values = np.array([[0.1, 0.3, 0.2], [-0.1, 0.0, 0.4]])
    found = [effects.seed_spread(row) for row in values]
    for row, one in zip(values, found, strict=True):
        assert one.mean == pytest.approx(row.mean())
        assert one.error == pytest.approx(scipy.stats.sem(row))
    whole = [effects.SwitchEffect("rope", one, (0, 0), 0, 1.0) for one in found]
    pooled = np.sqrt(np.mean([scipy.stats.sem(row) ** 2 for row in values]))
    assert effects.noise_band(whole) == pytest.approx(scipy.stats.t.ppf(0.975, df=4) * pooled)
    # of one switch alone it is the usual interval of three values
    low, _ = scipy.stats.t.interval(0.95, df=2, loc=0, scale=found[0].error)
    assert effects.noise_band(whole[:1]) == pytest.approx(-low)


def test_the_live_example_is_two_rows_of_the_record_of_all() -> None:
    """Catches examples made by different code, and a live run that isn't what the first exhibit shows."""
    everything, one = (experiment.run_experiment(name) for name in ("all-switches", "your-switches"))
    for name, whole in (("without", THEN), ("with", TODAY)):
        curves = one.record[f"curve.{name}"], everything.record[f"curve.{whole}"]
        np.testing.assert_allclose(*curves, atol=0.02)  # another machine may round otherwise
        for what in ("steps", "work", "parameters"):
            assert one.record[f"{what}.{name}"] == everything.record[f"{what}.{whole}"]
    table = your_switches.compute(your_switches.Inputs(), one).table()
    assert len(table) == 7 and "seed 2" in list(table)[3]


def test_what_was_flipped_is_told_from_either_block() -> None:
    """Catches states that are taken for changes of 2017 where the block of today is the one to compare with."""
    assert flipped_states(THEN, make_setting(THEN, "rope", "muon")) == ("rope", "muon")
    assert flipped_states(TODAY, make_setting(TODAY, "gelu")) == ("gelu",)
    all_but_rope = [one.today for name, one in SWITCHES.items() if name != "positions"]
    assert flipped_states(TODAY, make_setting(THEN, *all_but_rope)) == ("sinusoidal",)
    assert flipped_states(THEN, make_setting(THEN)) == flipped_states(TODAY, make_setting(TODAY)) == ()


def test_single_changes_are_added_seed_by_seed() -> None:
    """Catches a mean where a sum is meant, and one seed taken from another's block."""
    record = {
        "curve.2017": np.array([[2.0, 2.2, 2.1]]),
        "curve.2017+rope": np.array([[1.5, 1.8, 1.6]]),
        "curve.2017+muon": np.array([[1.9, 2.0, 2.1]]),
    }
    assert effects.summed_changes(record, THEN, ("rope", "muon")) == pytest.approx([-0.6, -0.6, -0.5])
    assert effects.summed_changes(record, THEN, ()).tolist() == [0, 0, 0]


def test_a_cache_is_smaller_by_the_heads_that_are_shared() -> None:
    for size in prices.SIZES:
        found = prices.compute(prices.Inputs(size=size))
        heads = prices.kv_heads(size)
        assert {state: found.full["multi-query"] * n for state, n in heads.items()} == found.full
    # Touvron et al. 2023 (2307.09288), table 1: 70 billion; 80 layers x 8 heads x 128 x 2 x 4,096 tokens x 2 bytes
    assert found.parameters["grouped-query"] == pytest.approx(69e9, rel=0.01)
    assert found.full["grouped-query"] == 80 * 8 * 128 * 2 * 4_096 * 2
