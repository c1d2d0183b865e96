"""A picture's way into a ViT, patches put back together, and orders: against closed forms and slow ways."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data import images
from core.data.images import LUMA
from core.data.images.square import square
from core.models import registry
from core.models.vit import ViT, ViTConfig, patches
from core.rooms.patches.compute import patch_embedding, patch_order


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
    rows = patches(x, patch)
    assert torch.equal(patch_embedding.joined(rows, patch), x)
    i, k = seed % side**2, seed % (n_channel * patch**2)
    channel, within = divmod(k, patch**2)
    y, x_ = i // side * patch + within // patch, i % side * patch + within % patch
    assert rows[1, i, k] == x[1, channel, y, x_]


@pytest.mark.parametrize(("patch", "n_channel"), [(2, 1), (4, 3)])
def test_every_step_of_the_way(patch: int, n_channel: int) -> None:
    model, picture = model_of(patch, n_channel), pictures(1, n_channel, 8)[0]
    found = patch_embedding.embed_patches(model, picture)
    assert np.array_equal(found.patches, patches(picture[None], patch)[0].numpy())
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
    order = patch_embedding.swapped(n_patch, n_pair, seed)
    assert sorted(order) == list(range(n_patch))
    assert sum(i != place for i, place in enumerate(order)) == 2 * n_pair
    assert all(order[order[i]] == i for i in range(n_patch))  # twice is as before
    if n_pair:
        fewer = patch_embedding.swapped(n_patch, n_pair - 1, seed)
        assert sum(a != b for a, b in zip(order, fewer, strict=True)) == 2
    with pytest.raises(ValueError, match="are possible"):
        patch_embedding.swapped(n_patch, n_patch // 2 + 1, seed)


def test_shuffled_pictures() -> None:
    x = pictures(3, 1, 8)
    order = patch_embedding.swapped(16, 5, 3)
    moved = patch_embedding.shuffled(x, order, 2)
    assert torch.equal(patches(moved, 2), patches(x, 2)[:, list(order)])
    assert torch.equal(patch_embedding.shuffled(moved, order, 2), x)
    with pytest.raises(ValueError, match="does not name each"):
        patch_embedding.shuffled(x, (0,) * 16, 2)


def test_without_positions_a_picture_is_a_bag() -> None:
    model, order = model_of(), patch_embedding.swapped(16, 8, 0)
    picture = images.held_out().shades[:1]
    assert patch_order.reorder(model, picture, order).change > 0.01
    model.pos_emb.weight.zero_()
    one = patch_order.reorder(model, picture, order)
    assert one.change < 1e-4 and np.allclose(one.probabilities.sum(1), 1, atol=1e-6)
    some = images.held_out().some(np.arange(50))
    said = model(torch.from_numpy(some.shades)).argmax(-1).numpy()
    assert patch_order.n_right(model, some) == patch_order.n_right(model, some, order) == (said == some.labels).sum()


def test_a_picture_as_a_square() -> None:
    wide = np.arange(4 * 8 * 3, dtype=np.uint8).reshape(4, 8, 3)
    assert np.array_equal(square(wide, 4), wide[:, 2:6].transpose(2, 0, 1))
    small = square(wide, 2)
    means = wide[:, 2:6].astype(float).reshape(2, 2, 2, 2, 3).mean((1, 3)).transpose(2, 0, 1)
    assert np.abs(small - means).max() <= 0.5
    gray = square(wide, 4, gray=True)
    assert gray.shape == (1, 4, 4) and np.abs(gray[0] - wide[:, 2:6] @ np.array(LUMA)).max() <= 0.51
    one = np.full((1, 1, 3), 200, np.uint8)
    assert (square(one, 224) == 200).all() and square(one, 224, gray=True).shape == (1, 224, 224)
    assert square(images.photograph("china"), 224).shape == (3, 224, 224)
    with pytest.raises(ValueError, match="no picture in color"):
        square(wide[:, :, 0], 4)
    with pytest.raises(ValueError, match="0 pixels"):
        square(wide, 0)
