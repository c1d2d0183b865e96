"""Toy models against sums by hand, the browser's loss against ours, and the shapes that the training finds.

What this catches: a loss that weighs a pattern wrongly, an arrow dragged in the browser whose loss is another model's,
a control that is not PCA, models of one training that learn from each other's features, and shapes that no longer come.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from core.rooms.circuits import superposition
from core.rooms.circuits.experiments import superposition as toy
from core.rooms.circuits.experiments.superposition import PROBABILITIES, Options, Superposition
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.training.live_experiments import example_run
from tests.counts import SEEDS
from tests.library.learning.once import trained

PARITY = Path(__file__).parent / "superposition_parity.mjs"


def some(n_hidden: int, n_feature: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    random = np.random.default_rng(n_hidden)
    return random.normal(size=(n_hidden, n_feature)), random.normal(size=n_feature) / 5


def run_of(seed: int) -> ExperimentRun:
    record = trained("superposition", seed)
    last = int(record["step"][-1])
    return ExperimentRun(record, {"n_step": last}, seed, last, last, name="superposition")


@pytest.mark.parametrize("often", [1.0, 0.3])
def test_the_loss_is_the_mean_over_many_draws(often: float) -> None:
    weight, bias = some(2, 5)
    random = np.random.default_rng(1)
    x = random.random((200_000, 5)) * (random.random((200_000, 5)) < often)
    back = np.maximum(0, x @ weight.T @ weight + bias)
    drawn = ((x - back) ** 2 @ 0.9 ** np.arange(5)).mean()
    assert toy.expected_loss(weight, bias, often, relu=True) == pytest.approx(drawn, rel=0.02)


@pytest.mark.parametrize("kind", toy.KINDS)
def test_what_is_made_small_is_the_sum_of_the_models_losses(kind: str) -> None:
    """Fault: the training weighs the features otherwise than the loss that is shown."""
    run = Superposition(Options(n_step=1), seed=0)
    model, (x,) = run.trainers[kind].model, run.batch()
    expected = 0.0
    for one, weight, bias in zip(x.numpy(), model.weight.detach().numpy(), model.bias.detach().numpy(), strict=True):
        there = one[:, : bias.shape[-1]]
        back = there @ weight.T @ weight + bias
        wrong = there - (np.maximum(0, back) if toy.KINDS[kind].relu else back)
        expected += (wrong**2 @ 0.9 ** np.arange(bias.shape[-1])).mean()
    assert run.loss(model, x).item() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("often", PROBABILITIES)
def test_who_keeps_the_first_alone_has_the_loss_of_the_formula(often: float) -> None:
    bias = np.array([0.0, 0.0, *[often / 2] * 3])
    assert toy.expected_loss(np.eye(2, 5), bias, often, relu=True) == pytest.approx(
        toy.top_features_loss(2, 5, often), rel=1e-3
    )
    assert toy.expected_loss(np.eye(5), np.zeros(5), often, relu=True) == pytest.approx(0, abs=1e-12)


def test_the_mean_error_by_count_is_that_of_these_patterns() -> None:
    weight, bias = some(2, 3)
    x = toy.feature_values(3)
    both = x * [1, 0, 1], x * [1, 1, 0], x * [0, 1, 1]
    wrong = [((one - (one @ weight.T @ weight + bias)) ** 2 @ 0.9 ** np.arange(3)).mean() for one in both]
    assert toy.error_by_count(weight, bias, relu=False)[2] == pytest.approx(np.mean(wrong))


def test_each_model_of_a_training_learns_alone() -> None:
    running = Superposition(Options(n_step=2), 0)
    model = running.trainers["plane"].model
    running.loss(model, torch.cat([torch.rand(1, 4, 8), torch.zeros(5, 4, 8)])).backward()
    assert model.weight.grad[0].abs().sum() > 0 and not model.weight.grad[1:].any()


def test_the_browser_has_the_same_loss_products_and_turns(node: str) -> None:
    toys: list[dict[str, Any]] = []
    for n_hidden, n_feature in ((2, 5), (3, 8)):
        for relu in (True, False):
            weight, bias = some(n_hidden, n_feature)
            toys.append({"weight": weight.tolist(), "bias": bias.tolist(), "relu": relu, "often": 0.2})
    told = {
        "toys": toys,
        "values": {str(n): toy.feature_values(n).tolist() for n in (5, 8)},
        "importance": [*toy.feature_importance(8)],
    }
    made = subprocess.run([node, PARITY], input=json.dumps(told), capture_output=True, text=True, check=True)
    for one, found in zip(toys, json.loads(made.stdout), strict=True):
        weight, bias = np.array(one["weight"]), np.array(one["bias"])
        assert found["loss"] == pytest.approx(toy.expected_loss(weight, bias, 0.2, relu=one["relu"]), rel=1e-9)
        np.testing.assert_allclose(found["products"], (weight.T @ weight).ravel(), atol=1e-12)
        seen = np.array(found["seen"])[:, : len(weight)]
        np.testing.assert_allclose(seen @ seen.T, weight.T @ weight, atol=1e-9)  # a turn changes no length and no angle


def check(found: superposition.Result) -> None:
    assert found.outcome is not None and found.outcome.answer == "5"
    assert [found.kept("plane", often) for often in PROBABILITIES[:1] + PROBABILITIES[2:3]] == [2, 4]
    assert all(found.kept("linear", often) == 2 for often in PROBABILITIES)
    assert all(found.share("linear", often) == pytest.approx(1, abs=0.06) for often in PROBABILITIES)
    assert all(found.share("plane", 1.0) > 0.95 and found.share("plane", often) < 0.25 for often in PROBABILITIES[-2:])
    one, two = found.errors("plane", 0.05)
    assert two > 10 * one and found.meet("plane", 0.05) < 0.03

    pairs, five, eight = (
        _cosines(found.weight(*which)) for which in (("plane", 0.2), ("plane", 0.02), ("space", 0.02))
    )
    np.testing.assert_allclose(pairs, [-1, -1, 0, 0, 0, 0], atol=0.1)  # two pairs, each of opposite arrows
    turns = np.cos(2 * np.pi / 5 * np.array([2] * 5 + [1] * 5))
    np.testing.assert_allclose(five, turns, atol=0.1)  # a pentagon
    # A square antiprism: each of eight corners has four neighbors, one across its square, and two far away.
    np.testing.assert_allclose(eight, [-0.79] * 8 + [-0.45] * 4 + [0.25] * 16, atol=0.1)


def _cosines(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of all pairs of arrows, rising."""
    arrows = weight[:, np.linalg.norm(weight, axis=0) > superposition.MIN_ARROW]
    arrows = arrows / np.linalg.norm(arrows, axis=0)
    return np.sort((arrows.T @ arrows)[np.triu_indices(arrows.shape[1], 1)])


@pytest.mark.measured("today/8-circuits", "Each feature is present 1 time in 20.")
@pytest.mark.measured("today/8-circuits", "Why doesn't it pay off")
def test_what_is_said_of_the_example() -> None:
    run = example_run("superposition")
    assert run is not None
    check(superposition.compute(superposition.Inputs(), run))


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_superposition_comes_with_rare_features_and_never_without_relu(seed: int) -> None:
    check(superposition.compute(superposition.Inputs(), run_of(seed)))
