"""The balancing loss, what routing is measured by, equal work, and the parameters of published models."""

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from transformers.models.mixtral.modeling_mixtral import load_balancing_loss_func

from core.inspect.costs import model_cost
from core.models import registry
from core.nn.tap import Trace
from core.rooms.experts import flow, trillion
from core.rooms.experts.compute import published, routing
from core.rooms.experts.compute.routing import load_balance
from core.rooms.experts.experiments.routing import LENGTH, config_of, routing_objective
from core.train.experiment import run_experiment

CHOICES = [(n_expert, n_active) for n_expert in (4, 8) for n_active in (1, 2)]


def gates_of(router: torch.Tensor, n_active: int) -> torch.Tensor:
    """Shares of the chosen experts, 0 elsewhere."""
    shares = router.softmax(-1)
    best, chosen = shares.topk(n_active, dim=-1)
    return torch.zeros_like(shares).scatter(-1, chosen, best)


@pytest.mark.parametrize(("n_expert", "n_active"), CHOICES)
def test_the_balancing_loss_is_that_of_hugging_face(n_expert: int, n_active: int) -> None:
    """Theirs counts each of the k choices as a whole token, so it is k times ours."""
    router = torch.randn(37, n_expert, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * 2
    theirs = load_balancing_loss_func((router,), n_expert, n_active)
    torch.testing.assert_close(n_active * load_balance(router, gates_of(router, n_active)), theirs, check_dtype=False)


@given(st.integers(2, 9), st.integers(0, 2**31))
def test_the_balancing_loss_is_1_where_all_are_used_alike_and_never_above_their_number(n: int, seed: int) -> None:
    even = torch.eye(n, dtype=torch.float64).repeat(3, 1) * 5
    assert load_balance(even, gates_of(even, 1)) == pytest.approx(1)
    sure = torch.zeros(5, n, dtype=torch.float64)
    sure[:, 0] = 60
    assert load_balance(sure, gates_of(sure, 1)) == pytest.approx(n)
    drawn = torch.randn(20, n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 3
    assert 0 < load_balance(drawn, gates_of(drawn, 1)) <= n


@pytest.mark.parametrize("balance", [0.0, 0.5])
def test_each_router_hears_of_the_loss_even_with_one_active_expert(balance: float) -> None:
    """With a renormalised share the gate would be 1, and the router would learn nothing from the text."""
    model = registry.build(config_of("balanced", 4, 1, 11), 0)
    ids = torch.randint(11, (2, 9), generator=torch.Generator().manual_seed(1))
    routing_objective(model, ids[:, :-1], ids[:, 1:], balance).backward()
    for block in model.blocks:
        assert block.mlp.w_router.weight.grad.abs().max() > 0


def test_the_objective_adds_the_mean_of_the_layers_balancing_losses() -> None:
    model = registry.build(config_of("balanced", 4, 2, 11), 0)
    ids = torch.randint(11, (2, 9), generator=torch.Generator().manual_seed(1))
    with torch.no_grad(), Trace(model) as trace:
        model(ids[:, :-1])
        plain, more = (routing_objective(model, ids[:, :-1], ids[:, 1:], factor) for factor in (0.0, 0.5))
    losses = [load_balance(trace[f"blocks.{n}.mlp.router"], trace[f"blocks.{n}.mlp.gates"]) for n in range(2)]
    torch.testing.assert_close(more - plain, 0.25 * sum(losses))


@pytest.mark.parametrize(("n_expert", "n_active"), CHOICES)
def test_dense_and_experts_work_alike_and_a_token_meets_as_many_parameters(n_expert: int, n_active: int) -> None:
    dense, mixed = (config_of(name, n_expert, n_active, 105) for name in ("dense", "balanced"))
    assert model_cost.forward_cost(dense, LENGTH).total == model_cost.forward_cost(mixed, LENGTH).total
    total, mixture = (published.measure_gpt("", one, "") for one in (dense, mixed))
    assert total.active == total.total == mixture.active < mixture.total


def test_published_models_have_their_published_parameters() -> None:
    """Mixtral: 46.7 and 12.9 billion; Qwen3-30B-A3B: 30.5 and 3.3; Switch-C: 1,571; GPT-3: 174.6, as printed."""
    models = {one.title: one for one in published.model_sizes(config_of("balanced", 8, 1, 105))}
    for title, total, active in (
        ("Mixtral 8x7B", 46.7, 12.9),
        ("Qwen3-30B-A3B", 30.5, 3.3),
        ("GPT-3 175B", 174.6, 174.6),
    ):
        assert models[title].total / 1e9 == pytest.approx(total, abs=0.1)
        assert models[title].active / 1e9 == pytest.approx(active, abs=0.1)
    assert models["Switch-C"].total / 1e9 == pytest.approx(1_571, abs=1)
    assert [*models.values()] == sorted(models.values(), key=lambda one: one.total)


def test_experts_in_use_and_what_labels_tell() -> None:
    assert routing.effective_number(np.array([[3, 3, 3, 3], [9, 0, 0, 0], [0, 0, 0, 0]])) == pytest.approx([4, 1, 1])
    rng = np.random.default_rng(0)
    token, topic = rng.integers(0, 6, 4_000), rng.integers(0, 4, 4_000)
    by_token, by_topic = (
        routing.routing_information(token % 3, token, topic, 0),
        routing.routing_information(topic % 2, token, topic, 0),
    )
    assert (by_token.token, by_token.token_more) == pytest.approx((1, 1), abs=1e-3) and by_token.topic < 0.01
    assert (by_topic.topic, by_topic.topic_more) == pytest.approx((1, 1), abs=1e-3) and by_topic.token < 0.01
    assert max(by_token.topic_more, by_topic.token_more, by_token.by_chance) < 0.01
    assert routing.routing_information(np.zeros(9, int), token[:9], topic[:9], 0).token == 0


def test_an_expert_without_tokens_stays_where_it_is() -> None:
    """Muon moves all matrices of a shape at once; one without a gradient used to stop the training."""
    from core.train.optimizers import Muon

    matrices = {name: torch.nn.Parameter(torch.ones(3, 4)) for name in ("one", "other")}
    matrices["one"].grad = torch.ones(3, 4)
    Muon(matrices, learning_rate=0.1).step()
    assert not torch.equal(matrices["one"], torch.ones(3, 4)) and torch.equal(matrices["other"], torch.ones(3, 4))


def test_before_the_guess_no_dot_says_what_a_token_uses() -> None:
    models = published.model_sizes(config_of("balanced", 8, 1, 105))
    closed, told = (trillion.size_columns(models, is_told) for is_told in (False, True))
    assert {*closed["met"]} == {None} and "of" not in " ".join(closed["told"])
    assert told["met"] == [one.active for one in models]
    assert "●" not in trillion.AXES[False] and "●" in trillion.AXES[True]


@given(st.integers(0, 2**31))
def test_guesses_and_samples_are_what_a_count_by_hand_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ids, expert = rng.integers(0, 6, 50), rng.integers(0, 4, 50)
    by_id = [Counter(expert[ids == one].tolist()) for one in range(6)]
    right = sum(count.most_common(1)[0][1] for count in by_id if count)
    assert routing.best_guess_rate(expert, ids) == pytest.approx(right / 50)
    for one, found in enumerate(routing.most_frequent(ids, expert, 5, 3)):
        counts = Counter(ids[expert == one].tolist())
        assert [counts[i] for i in found] == sorted(counts.values(), reverse=True)[:3]


def test_before_the_guess_the_picture_has_characters_of_each_kind_and_one_expert_a_token() -> None:
    found = flow.compute(flow.Inputs(), run_experiment("routing"))
    assert found.samples[:5] == ("eao", "tnr", "TNA", "164", " \n") and found.n_active == 1
    assert all(token > 2 * topic for token, topic in found.guessed[:1]) and found.expert_samples(0)[-1][3] == "eoa"
