"""A picture's way into a ViT and its positions, patches taken away, and the experiment: against slow ways."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.data import images
from core.data.images import LUMA
from core.data.images.center_square import center_square
from core.inspect.rollout import rollout
from core.models import registry
from core.models.images.vit import ViT, ViTConfig, split_patches
from core.nn.tap import Trace
from core.rooms.patches import shuffle
from core.rooms.patches.compute import patch_effect, patch_embedding
from core.rooms.patches.compute.patch_attention import record_patch_attention
from core.rooms.patches.similarity import POSITION_GROUPS, position_maps

N_PATCH = 16


def model_of(patch: int = 2, n_channel: int = 1, size: int = 8, seed: int = 0) -> ViT:
    config = ViTConfig(image_size=size, patch_size=patch, n_channel=n_channel, n_layer=2, n_head=2, d_model=12)
    model: ViT = registry.build(config, seed)
    generator = torch.Generator().manual_seed(seed)
    for w in model.parameters():
        w.data.normal_(0, 0.5, generator=generator)
    return model.eval().requires_grad_(False)


def pictures(n: int, n_channel: int, size: int, seed: int = 0) -> torch.Tensor:
    return torch.rand(n, n_channel, size, size, generator=torch.Generator().manual_seed(seed))


@settings(max_examples=20)
@given(patch=st.integers(1, 4), side=st.integers(1, 5), n_channel=st.sampled_from([1, 3]), seed=st.integers(0, 99))
def test_patches_are_put_together_again(patch: int, side: int, n_channel: int, seed: int) -> None:
    x = pictures(2, n_channel, patch * side, seed)
    rows = split_patches(x, patch)
    assert torch.equal(patch_embedding.join_patches(rows, patch), x)
    i, k = seed % side**2, seed % (n_channel * patch**2)
    channel, within = divmod(k, patch**2)
    y, x_ = i // side * patch + within // patch, i % side * patch + within % patch
    assert rows[1, i, k] == x[1, channel, y, x_]


@pytest.mark.parametrize(("patch", "n_channel"), [(2, 1), (4, 3)])
def test_every_step_of_the_way(patch: int, n_channel: int) -> None:
    model, picture = model_of(patch, n_channel), pictures(1, n_channel, 8)[0]
    found = patch_embedding.embed_patches(model, picture)
    assert np.array_equal(found.patches, split_patches(picture[None], patch)[0].numpy())
    by_hand = found.patches @ model.patch_emb.weight.numpy().T + model.patch_emb.bias.numpy()
    assert np.allclose(found.projected, by_hand, atol=1e-5)
    assert np.array_equal(found.with_class[1:], found.projected)
    assert np.array_equal(found.with_class[0], model.class_emb.weight[0].numpy())
    assert np.array_equal(found.embedded, found.with_class + found.positions)
    assert found.convolution < 1e-5
    kernels = torch.nn.Conv2d(n_channel, 12, patch, stride=patch)
    kernels.load_state_dict(
        {"weight": model.patch_emb.weight.reshape(kernels.weight.shape), "bias": model.patch_emb.bias}
    )
    assert np.allclose(kernels(picture[None])[0].flatten(1).T.detach().numpy(), found.projected, atol=1e-5)
    with pytest.raises(ValueError, match="do not fit"):
        patch_embedding.embed_patches(model, pictures(1, n_channel, 16)[0])


@settings(max_examples=40)
@given(n_patch=st.integers(1, 70), seed=st.integers(0, 2**31 - 1), data=st.data())
def test_pairs_that_change_places(n_patch: int, seed: int, data: st.DataObject) -> None:
    n_pair = data.draw(st.integers(0, n_patch // 2))
    order = patch_embedding.swap_patches(n_patch, n_pair, seed)
    assert sorted(order) == list(range(n_patch))
    assert sum(i != place for i, place in enumerate(order)) == 2 * n_pair
    assert all(order[order[i]] == i for i in range(n_patch))  # twice is as before
    if n_pair:
        fewer = patch_embedding.swap_patches(n_patch, n_pair - 1, seed)
        assert sum(a != b for a, b in zip(order, fewer, strict=True)) == 2
    with pytest.raises(ValueError, match="are possible"):
        patch_embedding.swap_patches(n_patch, n_patch // 2 + 1, seed)


def test_shuffled_pictures() -> None:
    x = pictures(3, 1, 8)
    order = patch_embedding.swap_patches(16, 5, 3)
    moved = patch_embedding.shuffle_patches(x, order, 2)
    assert torch.equal(split_patches(moved, 2), split_patches(x, 2)[:, list(order)])
    assert torch.equal(patch_embedding.shuffle_patches(moved, order, 2), x)
    with pytest.raises(ValueError, match="does not name each"):
        patch_embedding.shuffle_patches(x, (0,) * 16, 2)


def test_without_positions_a_picture_is_a_bag() -> None:
    model, order = model_of(), patch_embedding.swap_patches(16, 8, 0)
    picture = images.held_out_digits().shades[:1]
    assert shuffle.compare_orders(model, picture, order).change > 0.01
    model.pos_emb.weight.zero_()
    one = shuffle.compare_orders(model, picture, order)
    assert one.change < 1e-4 and np.allclose(one.probabilities.sum(1), 1, atol=1e-6)
    some = images.held_out_digits().some(np.arange(50))
    said = model(torch.from_numpy(some.shades)).argmax(-1).numpy()
    assert shuffle.count_right(model, some) == shuffle.count_right(model, some, order) == (said == some.labels).sum()


def waves(n: int) -> np.ndarray:
    """A table whose cosine falls with the distance in the grid: one wave by row, one by column; row 0 is the class."""
    row, column = np.divmod(np.arange(n * n), n)
    angle = np.pi / (2 * n)
    table = np.stack([f(angle * place) for place in (row, column) for f in (np.sin, np.cos)], 1)
    return np.concatenate([np.full((1, 4), 9.0), table])


@pytest.mark.parametrize("n", [2, 4, 8])
def test_a_grid_is_found(n: int) -> None:
    maps = position_maps(waves(n))
    assert maps.found > 0.95 and maps.beside == n * n
    assert np.allclose(np.diag(maps.cosine), 1) and maps.distance[0, -1] == pytest.approx((n - 1) * 2**0.5)
    if n > 2:
        assert maps.n_as_good == 0 and abs(maps.by_chance.mean()) < 0.02
    assert np.isnan(maps.groups[2:4]).all() == (n == 2) and len(maps.groups) == len(POSITION_GROUPS)


def test_noise_is_no_grid_and_ranks_are_scipys() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    table = rng.normal(size=(17, 48))
    maps = position_maps(table)
    pairs = np.triu_indices(16, 1)
    assert maps.found == pytest.approx(stats.spearmanr(-maps.distance[pairs], maps.cosine[pairs])[0], abs=1e-9)
    assert 0.01 < maps.n_as_good / len(maps.by_chance) < 0.99
    order = rng.permutation(16)
    moved = position_maps(np.concatenate([table[:1], table[1:][order]]))
    assert moved.cosine == pytest.approx(maps.cosine[np.ix_(order, order)])


def test_groups_by_hand() -> None:
    table = np.concatenate([np.zeros((1, 4)), np.repeat(np.eye(4), 4, axis=0)])  # a vector for each row of the grid
    maps = position_maps(table)
    assert maps.groups.tolist() == [1, 0, 1, 0, 0]
    zeros = position_maps(np.zeros((17, 4)))
    assert zeros.found == 0 and not zeros.cosine.any()
    for n in (1, 2, 4, 14):  # no square
        with pytest.raises(ValueError, match=f"{n - 1} patches"):
            position_maps(np.ones((n, 3)))


@pytest.fixture(scope="module")
def vit() -> ViT:
    """Small, and random enough for its attention to be uneven."""
    vit: ViT = registry.build(ViTConfig(n_layer=2, n_head=2, d_model=16, d_ff=32), 0).eval().requires_grad_(False)
    generator = torch.Generator().manual_seed(1)
    for w in vit.parameters():
        if w.ndim == 2:
            w.normal_(0, 0.5, generator=generator)
    return vit


@pytest.fixture(scope="module")
def shades() -> torch.Tensor:
    shades = torch.rand(5, 1, 8, 8, generator=torch.Generator().manual_seed(2))
    shades[:, :, :2, :4] = 0  # two bare patches
    return shades


def numbers(gone: list[int], n: int = 5) -> torch.Tensor:
    return torch.tensor([gone] * n, dtype=torch.long).view(n, -1)


@given(st.sets(st.integers(0, N_PATCH - 1)))
@settings(max_examples=15)
def test_a_token_left_out_is_a_key_that_nobody_reads(vit: ViT, shades: torch.Tensor, gone: set[int]) -> None:
    keep = torch.ones(1 + N_PATCH)
    keep[[1 + patch for patch in gone]] = 0

    def hide(weights: torch.Tensor) -> torch.Tensor:
        left = weights * keep
        return left / left.sum(-1, keepdim=True)

    with torch.no_grad(), Trace(vit, {f"blocks.{i}.attn.weights": hide for i in range(2)}):
        masked = vit(shades)
    found = patch_effect.logits_without_patches(vit, shades, numbers(sorted(gone)), "removed")
    torch.testing.assert_close(found, masked, rtol=1e-4, atol=2e-5)


def test_each_picture_may_lose_other_patches(vit: ViT, shades: torch.Tensor) -> None:
    gone = torch.stack([torch.randperm(N_PATCH, generator=torch.Generator().manual_seed(i))[:6] for i in range(5)])
    for way in patch_effect.HIDING_WAYS:
        together = patch_effect.logits_without_patches(vit, shades, gone, way)
        alone = torch.cat(
            [patch_effect.logits_without_patches(vit, shades[i : i + 1], gone[i : i + 1], way) for i in range(5)]
        )
        torch.testing.assert_close(together, alone, rtol=1e-5, atol=1e-5)


def test_a_painted_patch_is_paper_and_the_rest_stays(shades: torch.Tensor) -> None:
    gone = torch.zeros(5, N_PATCH, dtype=torch.bool)
    gone[:, 7] = True  # row 1, column 3
    expected = shades.clone()
    expected[:, :, 2:4, 6:8] = 0
    assert torch.equal(patch_effect.paint_patches(shades, gone, 2), expected)
    assert not torch.equal(shades, expected)


def test_the_effect_is_the_fall_of_the_first_answer(vit: ViT, shades: torch.Tensor) -> None:
    for way in patch_effect.HIDING_WAYS:
        found = patch_effect.effect_per_patch(vit, shades, way)
        assert found.shape == (5, N_PATCH)
        with torch.no_grad():
            before = vit(shades).double().log_softmax(-1)
        after = patch_effect.logits_without_patches(vit, shades, numbers([9]), way).double().log_softmax(-1)
        answer = before.argmax(-1)
        np.testing.assert_allclose(found[:, 9], [float(before[i, a] - after[i, a]) for i, a in enumerate(answer)])
        if way == "painted":
            assert np.abs(found[:, :2]).max() < 1e-6  # bare patches painted as paper
        else:
            assert np.abs(found[:, :2]).max() > 1e-3


def test_accuracy_by_number_of_hidden_patches(vit: ViT, shades: torch.Tensor) -> None:
    with torch.no_grad():
        labels = vit(shades).argmax(-1)
    order = torch.arange(N_PATCH).expand(5, -1)
    found = patch_effect.accuracy_without_patches(vit, shades, labels, order, [0, 4, N_PATCH], "removed")
    blind = patch_effect.logits_without_patches(vit, shades, numbers(list(range(N_PATCH))), "removed").argmax(-1)
    four = patch_effect.logits_without_patches(vit, shades, numbers([0, 1, 2, 3]), "removed").argmax(-1)
    expected = [1, float((four == labels).double().mean()), float((blind == labels).double().mean())]
    np.testing.assert_allclose(found, expected)


def test_attention_of_many_is_that_of_each(vit: ViT, shades: torch.Tensor) -> None:
    weights = patch_effect.attention_weights(vit, shades)
    one = record_patch_attention(vit, shades[3:4])
    np.testing.assert_allclose(weights[3], one.weights, atol=1e-6)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
    np.testing.assert_allclose(patch_effect.class_rollout(weights)[3], rollout(one.weights)[:, 0], atol=1e-6)
    assert one.strongest_patch(1, 0) == one.weights[1, 0, 0, 1:].argmax()
    scores = one.q[0, 1] @ one.k[0, 1].T * one.scale
    np.testing.assert_allclose(torch.from_numpy(scores).softmax(-1).numpy(), one.weights[0, 1], atol=1e-5)
    with torch.no_grad():
        np.testing.assert_allclose(one.probabilities, vit(shades[3:4])[0].softmax(-1).numpy(), atol=1e-6)


def test_in_the_last_layer_only_the_class_token_counts(vit: ViT, shades: torch.Tensor) -> None:
    def spoil(weights: torch.Tensor) -> torch.Tensor:
        return torch.cat([weights[:, :, :1], weights[:, :, 1:].flip(-1)], 2)

    with torch.no_grad():
        whole = vit(shades)
        with Trace(vit, {"blocks.1.attn.weights": spoil}):
            torch.testing.assert_close(vit(shades), whole)
        with Trace(vit, {"blocks.0.attn.weights": spoil}):
            assert not torch.allclose(vit(shades), whole, atol=1e-3)


def test_ink_and_correlations(shades: torch.Tensor) -> None:
    ink = patch_effect.patch_ink(shades, 2)
    assert ink[:, :2].max() == 0
    np.testing.assert_allclose(ink[1, 7], shades[1, 0, 2:4, 6:8].double().mean())
    guess = np.random.default_rng(0).random((3, N_PATCH))
    assert patch_effect.mean_rank_correlation(guess, -guess) == (pytest.approx(1), 3)  # the size of the effect counts
    mean, n = patch_effect.mean_rank_correlation(guess, np.concatenate([guess[:2], np.zeros((1, N_PATCH))]))
    assert (mean, n) == (pytest.approx(1), 2)
    assert np.isnan(patch_effect.mean_rank_correlation(guess, np.zeros_like(guess))[0])


@pytest.mark.parametrize(
    ("gone", "way", "words"),
    [([16], "removed", "patches 0 to 15"), ([-1], "painted", "patches 0 to 15"), ([1], "burnt", "not 'burnt'")],
)
def test_what_cannot_be_hidden_is_refused(
    vit: ViT, shades: torch.Tensor, gone: list[int], way: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        patch_effect.logits_without_patches(vit, shades, numbers(gone), way)


def test_a_picture_as_a_square() -> None:
    wide = np.arange(4 * 8 * 3, dtype=np.uint8).reshape(4, 8, 3)
    assert np.array_equal(center_square(wide, 4), wide[:, 2:6].transpose(2, 0, 1))
    means = wide[:, 2:6].astype(float).reshape(2, 2, 2, 2, 3).mean((1, 3)).transpose(2, 0, 1)
    assert np.abs(center_square(wide, 2) - means).max() <= 0.5
    gray = center_square(wide, 4, gray=True)
    assert gray.shape == (1, 4, 4) and np.abs(gray[0] - wide[:, 2:6] @ np.array(LUMA)).max() <= 0.51
    assert (center_square(np.full((1, 1, 3), 200, np.uint8), 224) == 200).all()
    for picture, size, words in ((wide[:, :, 0], 4, "aren't a picture in color"), (wide, 0, "0 pixels")):
        with pytest.raises(ValueError, match=words):
            center_square(picture, size)
