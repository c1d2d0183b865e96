"""Soft, sampled and arg-max attention: closed forms, autograd, enumeration, and draws from the seed alone."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.rooms.hard_attention.compute import card_model
from core.rooms.hard_attention.compute import hard_attention as ways
from core.rooms.hard_attention.compute import score_gradients as look
from core.rooms.hard_attention.experiments import choosing as task
from core.rooms.hard_attention.gradient_estimates_chart import errors_by_draws, estimated
from tests.library.learning.once import ran


def rows(seed: int, n: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Weights and losses of some places."""
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(n)), rng.exponential(size=n)


def test_the_ways_of_reading() -> None:
    keys = torch.arange(12.0).reshape(1, 4, 3)
    weights = torch.tensor([[0.1, 0.2, 0.3, 0.4]])
    assert torch.allclose(ways.mixture(weights, keys), torch.tensor([[6.0, 7.0, 8.0]]))
    assert ways.best_places(weights.log()).tolist() == [3]
    assert ways.read_at(keys, torch.tensor([2])).tolist() == [[6.0, 7.0, 8.0]]
    certain = torch.eye(4)
    assert ways.drawn_places(certain, torch.Generator().manual_seed(0)).tolist() == [0, 1, 2, 3]


def test_draws_come_from_their_generator_and_follow_the_weights() -> None:
    weights = torch.tensor([0.5, 0.3, 0.15, 0.05]).expand(20_000, -1)
    torch.manual_seed(1)
    one = ways.drawn_places(weights, torch.Generator().manual_seed(3))
    torch.manual_seed(2)
    assert torch.equal(one, ways.drawn_places(weights, torch.Generator().manual_seed(3)))
    expected = weights[0].double().numpy() * 20_000
    chi_square = float(((np.bincount(one, minlength=4) - expected) ** 2 / expected).sum())
    assert chi_square < 16.3  # 99.9 % of all draws with 3 degrees of freedom


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.floats(-3, 3))
def test_the_mean_over_all_draws_is_the_exact_gradient_for_any_baseline(seed: int, baseline: float) -> None:
    weights, losses = rows(seed)
    mean = weights @ look.one_draw(weights, losses, baseline)
    assert mean == pytest.approx(weights * (losses - weights @ losses), abs=1e-12)


def test_the_surrogate_has_the_gradient_of_one_draw() -> None:
    scores = torch.randn(1, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64, requires_grad=True)
    losses = torch.rand(5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    weights = scores.detach().softmax(-1)[0].numpy()
    for place in range(5):
        loss = ways.score_function_loss(losses[[place]], scores.log_softmax(-1)[:, place], 0.4)
        (gradient,) = torch.autograd.grad(loss, scores)
        assert gradient[0].numpy() == pytest.approx(look.one_draw(weights, losses.numpy(), 0.4)[place], abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_three_gradients_of_one_question(seed: int) -> None:
    model, table = card_model.build(seed), task.probe(seed, 8)
    found = look.score_gradients(model, table.letters[0], table.digits[0], int(table.question[2]), int(table.answer[2]))
    exact = found.weights * (found.losses - found.expected_loss)
    assert found.expected == pytest.approx(exact, abs=1e-12)
    assert not found.argmax.any() and found.bump == 0  # exactly
    assert np.abs(found.soft - found.expected).max() > 1e-3  # another loss, another gradient
    assert found.soft_loss <= found.expected_loss  # Jensen: the layer that reads is linear
    for gradient in (found.soft, found.expected):
        assert gradient.sum() == pytest.approx(0, abs=1e-12)  # moving all scores together changes nothing
    # by finite differences of the mixture
    keys = model.double().keys(table.letters[:1], table.digits[:1])
    scores = model.scores(table.question[2:3], keys).detach()
    losses = []
    for shift in (1e-5, -1e-5):
        moved = scores + shift * torch.eye(8, dtype=torch.float64)[3]
        logits = model.answer(ways.mixture(moved.softmax(-1), keys))
        losses.append(float(torch.nn.functional.cross_entropy(logits, table.answer[2:3]).detach()))
    assert (losses[0] - losses[1]) / 2e-5 == pytest.approx(found.soft[3], abs=1e-6)


def test_estimates_come_near_with_the_root_of_the_draws() -> None:
    weights, losses = rows(3)
    exact = weights * (losses - weights @ losses)
    found = look.estimate(weights, losses, 100_000, float(weights @ losses), 5)
    assert np.abs((found.mean - exact) / found.error).max() < 4
    assert (
        look.estimate(weights, losses, 50, 0.0, 7).mean.tolist()
        == look.estimate(weights, losses, 50, 0.0, 7).mean.tolist()
    )
    one = look.typical_error(weights, losses, 0.0)
    measured = look.measured_errors(weights, losses, 0.0, (16, 256), 1)
    assert measured == pytest.approx([one / 4, one / 16], rel=0.15)
    with pytest.raises(ValueError, match="at least 2"):
        look.estimate(weights, losses, 1, 0.0, 0)


def test_a_certain_choice_and_a_saved_sum() -> None:
    assert look.estimate(np.array([1.0, 0.0]), np.array([0.5, 2.0]), 10, 0.0, 0).mean.tolist() == [0, 0]
    cost = look.reading_cost(8)
    assert cost.scoring == 16 * 16 + 8 * (32 * 16 + 16) and cost.mixing == 8 * 32


def test_the_model_and_the_tables() -> None:
    table = task.draw(200, 8, torch.Generator().manual_seed(0))
    line = torch.arange(200)
    assert torch.equal(table.letters[line, table.place], table.question)
    assert torch.equal(table.digits[line, table.place], table.answer)
    assert all(len(set(row)) == 8 for row in table.letters.tolist())
    assert torch.equal(task.held_out(4, 8).letters, task.draw(task.N_HELD, 8, torch.Generator().manual_seed(4)).letters)
    model = card_model.build(0)
    keys = model.keys(table.letters, table.digits)
    mixed = model.answer(ways.mixture(model.scores(table.question, keys).softmax(-1), keys))
    assert torch.equal(model(table.letters, table.digits, table.question), mixed)


def test_the_exact_accuracy_of_drawing_is_the_mean_over_draws() -> None:
    model, table = card_model.build(1), task.held_out(1, 8)
    shares, _ = task.accuracies(model, table)
    keys = model.keys(table.letters, table.digits)
    weights, generator = model.scores(table.question, keys).softmax(-1), torch.Generator().manual_seed(0)
    right = [
        (model.answer(ways.read_at(keys, ways.drawn_places(weights, generator))).argmax(-1) == table.answer)
        .float()
        .mean()
        for _ in range(60)
    ]
    assert float(torch.stack(right).mean().detach()) == pytest.approx(shares["sampled"], abs=0.01)


def test_every_variant_starts_alike() -> None:
    record = ran("choosing", 7, n_step=6)
    assert record["moment"].tolist() == [0, 1, 2, 3, 6]
    for name in ("unembed.weight", "attn.w_q.weight"):
        first = record[f"frames.soft.{name}"][0]
        assert all(np.array_equal(first, record[f"frames.{variant}.{name}"][0]) for variant in task.VARIANTS)
    for moment in (0, -1):
        for name, weights in task.model_at(record, "bare", moment).named_parameters():
            assert np.array_equal(weights.numpy(), record[f"frames.bare.{name}"][moment])


def test_the_baseline_is_the_moving_mean_of_the_losses() -> None:
    chooser, table = task.Chooser("sampled", 0, 10), task.held_out(0, 8)
    chooser.learn(table)
    first = chooser.baseline
    assert math.log(8) * 0.5 < first < math.log(8) * 2
    chooser.learn(table)
    assert chooser.baseline != first and abs(chooser.baseline - first) < 0.2 * first
    bare = task.Chooser("bare", 0, 10)
    bare.learn(table)
    assert bare.baseline == 0


def test_the_charts_hold_what_was_computed() -> None:
    guess = look.Estimate(np.array([0.1, -0.2]), np.array([0.05, 0.01]))
    spec = estimated(["K4", "K4"], {"soft": [0.3, 0.1], "arg-max": [0.0, 0.0]}, guess)
    values = spec["datasets"]["rows"]
    assert len(values) == 6 and len({row["place"] for row in values}) == 2
    assert [row["low"] for row in values if "low" in row] == pytest.approx([0.05, -0.21])
    spec = errors_by_draws((4, 16), {"a": [1.0, 0.5]}, {"a": [1.1, 0.55]}, 0.2)
    assert [row["value"] for row in spec["datasets"]["dots"]] == [1.0, 0.5]
    # nothing to be seen: no loss at all
    assert errors_by_draws((4,), {"a": [0.0]}, {"a": [0.0]}, 0.0)["datasets"]["dots"] == []
