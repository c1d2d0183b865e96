"""Optimizers: what they promise, by hand-checkable numbers."""

import pytest
import torch
from torch import nn

from core.models import registry
from core.models.gpt import GPTConfig
from core.train.device import Placement
from core.train.optimizers import JORDAN, POLAR_EXPRESS, AdamW, Muon, Quintic, orthogonalize
from core.train.recipes import RECIPES
from core.train.weight_init_and_optimizer import initialize_weights, make_optimizer


def parameter(*shape: int, seed: int = 0) -> nn.Parameter:
    generator = torch.Generator().manual_seed(seed)
    w = nn.Parameter(torch.randn(shape, generator=generator))
    w.grad = torch.randn(shape, generator=generator)
    return w


def test_first_adamw_step_moves_every_number_by_the_learning_rate() -> None:
    w = parameter(3, 4)
    before = w.detach().clone()
    AdamW({"w": w}, learning_rate=0.1, eps=0.0).step()
    torch.testing.assert_close(w, before - 0.1 * w.grad.sign())


def test_weight_decay_pulls_matrices_and_not_vectors() -> None:
    matrix, vector = nn.Parameter(torch.ones(2, 2)), nn.Parameter(torch.ones(2))
    for w in (matrix, vector):
        w.grad = torch.zeros_like(w)
    AdamW({"matrix": matrix, "vector": vector}, learning_rate=0.1, weight_decay=0.5).step()
    assert matrix.unique().item() == pytest.approx(0.95)
    assert vector.unique().item() == 1.0


def test_parameters_without_a_gradient_stay() -> None:
    w = nn.Parameter(torch.ones(2, 2))
    AdamW({"w": w}, learning_rate=0.1, weight_decay=0.5).step()
    assert torch.equal(w, torch.ones(2, 2))


@pytest.mark.parametrize("shape", [(32, 32), (64, 16), (16, 64)])
@pytest.mark.parametrize(("rounds", "least", "most"), [(JORDAN, 0.6, 1.3), (POLAR_EXPRESS, 0.12, 1.9)])
def test_singular_values_a_hundred_times_apart_come_near_one(
    shape: tuple[int, int], rounds: tuple[Quintic, ...], least: float, most: float
) -> None:
    x = torch.randn((5, *shape), generator=torch.Generator().manual_seed(0))
    u, s, v = torch.linalg.svd(x, full_matrices=False)
    strength = torch.logspace(0, -2, s.shape[-1])
    after = torch.linalg.svdvals(orthogonalize(u * strength @ v, rounds))
    assert after.min() > least
    assert after.max() < most


def test_orthogonalizing_keeps_the_directions() -> None:
    generator = torch.Generator().manual_seed(0)
    u = torch.linalg.qr(torch.randn(24, 8, generator=generator)).Q
    v = torch.linalg.qr(torch.randn(8, 8, generator=generator)).Q
    x = u @ torch.diag(torch.linspace(0.3, 5, 8)) @ v.T
    ours = orthogonalize(x[None], JORDAN)[0]
    overlap = torch.nn.functional.cosine_similarity(ours.flatten(), (u @ v.T).flatten(), dim=0)
    assert overlap > 0.98


def test_scale_of_the_gradient_does_not_matter() -> None:
    x = torch.randn(2, 8, 8, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(orthogonalize(x), orthogonalize(1000 * x), rtol=1e-3, atol=1e-4)


def test_zero_gradient_moves_nothing() -> None:
    assert torch.equal(orthogonalize(torch.zeros(1, 4, 4)), torch.zeros(1, 4, 4))


def test_a_batch_of_equal_shapes_moves_as_each_matrix_would_alone() -> None:
    together = {name: parameter(8, 8, seed=i) for i, name in enumerate("abc")}
    alone = {name: parameter(8, 8, seed=i) for i, name in enumerate("abc")}
    Muon(together, learning_rate=0.1).step()
    for name, w in alone.items():
        Muon({name: w}, learning_rate=0.1).step()
        torch.testing.assert_close(together[name], w)


def test_fast_gives_matrices_of_blocks_to_muon_and_the_rest_to_adamw() -> None:
    model = registry.build(GPTConfig(vocab_size=11, d_model=16, tied=False))
    optimizer = make_optimizer(model, RECIPES["python-topics"], Placement("cpu", "float32"))
    n_muon = sum(tensor.numel() for name, tensor in optimizer.state.items() if name.startswith("muon."))
    assert n_muon == sum(w.numel() for name, w in model.named_parameters() if "blocks" in name and w.ndim == 2)
    assert "adamw.unembed.weight.m" in optimizer.state
    assert "adamw.blocks.0.norm_1.weight.m" in optimizer.state


def test_fast_start_guesses_blindly_and_adamws_start_is_the_models_own() -> None:
    config = GPTConfig(vocab_size=11, d_model=16, tied=False)
    ids = torch.arange(10)[None]
    fast, plain = registry.build(config, seed=4), registry.build(config, seed=4)
    initialize_weights(fast, RECIPES["python-topics"], seed=4)
    initialize_weights(plain, RECIPES["python-topics-adamw"], seed=4)
    assert torch.equal(fast(ids), torch.zeros(1, 10, 11))
    assert torch.equal(plain(ids), registry.build(config, seed=4)(ids))
    assert float(fast.tok_emb.weight.detach().std()) == pytest.approx(1.0, abs=0.15)


def test_a_recipes_start_gives_each_matrix_the_deviation_of_its_name() -> None:
    model = registry.build(GPTConfig(vocab_size=200, context_length=64, n_layer=2, d_model=96, tied=False), seed=0)
    own = model.blocks[0].norm_1.weight.detach().clone()
    initialize_weights(model, RECIPES["stories"], seed=4)
    for name, deviation in {"tok_emb": 0.15, "pos_emb": 0.5, "blocks.1.attn.w_q": 0.06, "blocks.1.mlp.w_out": 0.03,
                            "unembed": 0.02}.items():  # fmt: skip
        assert float(model.get_submodule(name).weight.detach().std()) == pytest.approx(deviation, rel=0.05), name
    assert torch.equal(model.blocks[0].norm_1.weight, own)


def test_state_is_all_that_an_optimizer_remembers() -> None:
    """Two steps in a row equal one step, its state put into a new optimizer, and one more."""
    for make in (lambda w: AdamW({"w": w}, learning_rate=0.1), lambda w: Muon({"w": w}, learning_rate=0.1)):
        whole, parts = parameter(6, 6), parameter(6, 6)
        one = make(whole)
        one.step(1.0)
        one.step(0.5)
        first = make(parts)
        first.step(1.0)
        second = make(parts)
        for name, tensor in second.state.items():
            tensor.copy_(first.state[name])
        second.step(0.5)
        assert torch.equal(whole, parts)
