"""Patches taken away from a ViT: against masks, against pixels painted by hand, and at the ends of the scale."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.inspect.rollout import rollout
from core.models import registry
from core.models.vit import ViT, ViTConfig
from core.nn.tap import Trace
from core.rooms.patches.compute import patch_effect as effects
from core.rooms.patches.compute.patch_attention import look

N_PATCH = 16


@pytest.fixture(scope="module")
def model() -> ViT:
    """Small, and random enough for its attention to be uneven."""
    vit: ViT = registry.build(ViTConfig(n_layer=2, n_head=2, d_model=16, d_ff=32), 0).eval().requires_grad_(False)
    generator = torch.Generator().manual_seed(1)
    for w in vit.parameters():
        if w.ndim == 2:
            w.normal_(0, 0.5, generator=generator)
    return vit


@pytest.fixture(scope="module")
def images() -> torch.Tensor:
    shades = torch.rand(5, 1, 8, 8, generator=torch.Generator().manual_seed(2))
    shades[:, :, :2, :4] = 0  # two bare patches
    return shades


def numbers(gone: list[int], n: int = 5) -> torch.Tensor:
    return torch.tensor([gone] * n, dtype=torch.long).view(n, -1)


@given(st.sets(st.integers(0, N_PATCH - 1)))
@settings(max_examples=15)
def test_a_token_left_out_is_a_key_that_nobody_reads(model: ViT, images: torch.Tensor, gone: set[int]) -> None:
    keep = torch.ones(1 + N_PATCH)
    keep[[1 + patch for patch in gone]] = 0

    def hide(weights: torch.Tensor) -> torch.Tensor:
        left = weights * keep
        return left / left.sum(-1, keepdim=True)

    with torch.no_grad(), Trace(model, {f"blocks.{i}.attn.weights": hide for i in range(2)}):
        masked = model(images)
    found = effects.without(model, images, numbers(sorted(gone)), "removed")
    torch.testing.assert_close(found, masked, rtol=1e-4, atol=2e-5)


def test_each_picture_may_lose_other_patches(model: ViT, images: torch.Tensor) -> None:
    gone = torch.stack([torch.randperm(N_PATCH, generator=torch.Generator().manual_seed(i))[:6] for i in range(5)])
    for way in effects.WAYS:
        together = effects.without(model, images, gone, way)
        alone = torch.cat([effects.without(model, images[i : i + 1], gone[i : i + 1], way) for i in range(5)])
        torch.testing.assert_close(together, alone, rtol=1e-5, atol=1e-5)


def test_a_painted_patch_is_paper_and_the_rest_stays(images: torch.Tensor) -> None:
    gone = torch.zeros(5, N_PATCH, dtype=torch.bool)
    gone[:, 7] = True  # row 1, column 3
    expected = images.clone()
    expected[:, :, 2:4, 6:8] = 0
    assert torch.equal(effects.painted(images, gone, 2), expected)
    assert not torch.equal(images, expected)


def test_nothing_hidden_changes_nothing_and_all_hidden_tells_nothing(model: ViT, images: torch.Tensor) -> None:
    with torch.no_grad():
        whole = model(images)
    for way in effects.WAYS:
        torch.testing.assert_close(effects.without(model, images, numbers([]), way), whole, rtol=1e-5, atol=1e-5)
        blind = effects.without(model, images, numbers(list(range(N_PATCH))), way)
        torch.testing.assert_close(blind, blind[:1].expand(5, -1), rtol=1e-5, atol=1e-5)


def test_the_effect_is_the_fall_of_the_first_answer(model: ViT, images: torch.Tensor) -> None:
    for way in effects.WAYS:
        found = effects.effect_of_each(model, images, way)
        assert found.shape == (5, N_PATCH)
        with torch.no_grad():
            before = model(images).double().log_softmax(-1)
        after = effects.without(model, images, numbers([9]), way).double().log_softmax(-1)
        answer = before.argmax(-1)
        np.testing.assert_allclose(found[:, 9], [float(before[i, a] - after[i, a]) for i, a in enumerate(answer)])
        if way == "painted":
            assert np.abs(found[:, :2]).max() < 1e-6  # bare patches painted as paper
        else:
            assert np.abs(found[:, :2]).max() > 1e-3


def test_accuracy_by_number_of_hidden_patches(model: ViT, images: torch.Tensor) -> None:
    with torch.no_grad():
        labels = model(images).argmax(-1)
    order = torch.arange(N_PATCH).expand(5, -1)
    found = effects.accuracy_without(model, images, labels, order, [0, 4, N_PATCH], "removed")
    blind = effects.without(model, images, numbers(list(range(N_PATCH))), "removed").argmax(-1)
    four = effects.without(model, images, numbers([0, 1, 2, 3]), "removed").argmax(-1)
    expected = [1, float((four == labels).double().mean()), float((blind == labels).double().mean())]
    np.testing.assert_allclose(found, expected)


def test_attention_of_many_is_that_of_each(model: ViT, images: torch.Tensor) -> None:
    weights = effects.attention_of(model, images)
    one = look(model, images[3:4])
    np.testing.assert_allclose(weights[3], one.weights, atol=1e-6)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
    np.testing.assert_allclose(effects.class_rollout(weights)[3], rollout(one.weights)[:, 0], atol=1e-6)
    assert one.strongest_patch(1, 0) == one.weights[1, 0, 0, 1:].argmax()
    scores = one.q[0, 1] @ one.k[0, 1].T * one.scale
    np.testing.assert_allclose(torch.from_numpy(scores).softmax(-1).numpy(), one.weights[0, 1], atol=1e-5)
    with torch.no_grad():
        np.testing.assert_allclose(one.probabilities, model(images[3:4])[0].softmax(-1).numpy(), atol=1e-6)


def test_in_the_last_layer_only_the_class_token_counts(model: ViT, images: torch.Tensor) -> None:
    def spoil(weights: torch.Tensor) -> torch.Tensor:
        return torch.cat([weights[:, :, :1], weights[:, :, 1:].flip(-1)], 2)

    with torch.no_grad():
        whole = model(images)
        with Trace(model, {"blocks.1.attn.weights": spoil}):
            torch.testing.assert_close(model(images), whole)
        with Trace(model, {"blocks.0.attn.weights": spoil}):
            assert not torch.allclose(model(images), whole, atol=1e-3)


def test_ink_and_correlations(images: torch.Tensor) -> None:
    ink = effects.ink(images, 2)
    assert ink[:, :2].max() == 0
    np.testing.assert_allclose(ink[1, 7], images[1, 0, 2:4, 6:8].double().mean())
    guess = np.random.default_rng(0).random((3, N_PATCH))
    assert effects.mean_rank_correlation(guess, -guess) == (pytest.approx(1), 3)  # the size of the effect counts
    mean, n = effects.mean_rank_correlation(guess, np.concatenate([guess[:2], np.zeros((1, N_PATCH))]))
    assert (mean, n) == (pytest.approx(1), 2)
    assert np.isnan(effects.mean_rank_correlation(guess, np.zeros_like(guess))[0])


@pytest.mark.parametrize(
    ("gone", "way", "words"),
    [([16], "removed", "patches 0 to 15"), ([-1], "painted", "patches 0 to 15"), ([1], "burnt", "not 'burnt'")],
)
def test_what_cannot_be_hidden_is_refused(
    model: ViT, images: torch.Tensor, gone: list[int], way: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        effects.without(model, images, numbers(gone), way)
