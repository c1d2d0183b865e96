"""The parts of ViT and ImageGPT that text models lack, against torch and Hugging Face, with random parameters.

Whole models, each hidden state and each attention map are compared in `test_imports.py`. Each mistake that is easily
made here is made on purpose, and must be far beyond the bar.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers as t
from torch import Tensor, nn
from torch.nn import functional as F
from transformers.models.imagegpt import modeling_imagegpt as their_gpt

from core.models.images.vit import split_patches
from core.models.pretrained import load
from core.nn.feed_forward import FeedForward, gelu_tanh, quick_gelu
from core.nn.norms import LayerNorm, RMSNorm
from core.rooms.pixels.quantise import Palette

BAR = 2e-5
FAR = 2e-4  # ten times the bar: what a mistake must move at least
CHANNELS = (1, 2, 3, 4)
V, T = 17, 16


def near(ours: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(ours, theirs, atol=BAR, rtol=0.0)
    assert theirs.std() > 0.05  # the bar means something


def far(spoiled: Tensor, theirs: Tensor) -> None:
    assert (spoiled - theirs).abs().max() > FAR


def normal(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def shaken(module: nn.Module, seed: int = 7) -> Any:
    """Resample every parameter, with gains about 1 and none at its initial value."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            gain = name.endswith("weight") and parameter.ndim == 1
            parameter.normal_(1.0 if gain else 0.0, 0.5 if parameter.ndim == 1 else 0.3, generator=generator)
    return module.eval().requires_grad_(False)


# --- ViT -------------------------------------------------------------------------------------------------------------


def vit(folder: Path, n_channel: int = 3) -> tuple[Any, Any, Tensor]:
    """Theirs, ours with the same weights, and two pictures of 12 x 12."""
    config = t.ViTConfig(hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=40,
                         image_size=12, patch_size=4, num_channels=n_channel, num_labels=5)  # fmt: skip
    config._attn_implementation = "eager"
    reference = shaken(t.ViTForImageClassification(config))
    reference.save_pretrained(folder)
    return reference, load(folder).model, normal(2, n_channel, 12, 12)


def cut_wrongly(images: Tensor, size: int, order: tuple[int, ...]) -> Tensor:
    """Patches with their numbers, or themselves, in another order."""
    x = images.unflatten(-1, (-1, size)).unflatten(-3, (-1, size))  # (B, C, rows, p, columns, p)
    return x.permute(*order).flatten(3).flatten(1, 2)


WRONG_ORDERS = {
    "the channels last": (0, 2, 4, 3, 5, 1),
    "columns before lines within a patch": (0, 2, 4, 1, 5, 3),
    "patches column by column": (0, 4, 2, 1, 3, 5),
}


@pytest.mark.parametrize("n_channel", CHANNELS)
@pytest.mark.parametrize("size", [1, 2, 4])
def test_patches_and_one_linear_layer_are_a_convolution(n_channel: int, size: int) -> None:
    convolution = shaken(nn.Conv2d(n_channel, 10, size, stride=size))
    images = normal(2, n_channel, 8, 12)  # not square: rows and columns of patches cannot be mistaken for one another
    with torch.no_grad():
        expected = convolution(images).flatten(2).mT  # (B, P, 10)
    weight = convolution.weight.flatten(1)  # (10, C * size * size)
    near(F.linear(split_patches(images, size), weight, convolution.bias), expected)
    for what, order in WRONG_ORDERS.items():
        if (n_channel > 1 or "channels" not in what) and (size > 1 or "patches" in what):
            far(F.linear(cut_wrongly(images, size, order), weight, convolution.bias), expected)


@pytest.mark.parametrize("n_channel", CHANNELS)
def test_vits_patches_class_token_and_positions(tmp_path: Path, n_channel: int) -> None:
    reference, ours, images = vit(tmp_path, n_channel)
    embeddings = reference.vit.embeddings
    with torch.no_grad():
        near(ours.patch_emb(split_patches(images, 4)), embeddings.patch_embeddings(images))
        expected = embeddings(images)  # (B, 10, 24)
        near(ours.embed(images), expected)
    assert expected.shape == (2, 10, 24)
    near(ours.class_emb.weight + ours.pos_emb.weight[0], expected[0, :1])
    bare = ours.embed(images) - ours.pos_emb.weight
    class_last = torch.cat([bare[:, 1:], bare[:, :1]], 1) + ours.pos_emb.weight
    no_position = torch.cat([bare[:, :1], bare[:, 1:] + ours.pos_emb.weight[1:]], 1)  # the class token without one
    shifted = bare + ours.pos_emb.weight.roll(1, 0)
    for spoiled in (class_last, no_position, shifted):
        far(spoiled, expected)


# --- ImageGPT --------------------------------------------------------------------------------------------------------


def test_image_gpts_norm_leaves_the_mean_and_has_no_bias() -> None:
    theirs, ours = shaken(their_gpt.ImageGPTLayerNorm(24, eps=1e-5)), RMSNorm(24, eps=1e-5)
    assert [name for name, _ in ours.named_parameters()] == ["weight"]
    ours.load_state_dict(theirs.state_dict())
    centered = LayerNorm(24, eps=1e-5, bias=False)
    centered.load_state_dict(theirs.state_dict())
    small = normal(5, 24) / 300  # so small that eps counts
    with torch.no_grad():
        for x in (normal(5, 24) + 1, small):
            near(ours(x), theirs(x))
            far(centered(x), theirs(x))
        far(RMSNorm(24, eps=1e-6)(small) * theirs.weight, theirs(small))


def test_image_gpts_feed_forward_is_by_the_quick_gelu() -> None:
    theirs = shaken(their_gpt.ImageGPTMLP(40, t.ImageGPTConfig(n_embd=24)))
    ours = FeedForward(24, 40, "quick_gelu")
    with torch.no_grad():
        for mine, its in ((ours.w_in, theirs.c_fc), (ours.w_out, theirs.c_proj)):
            mine.weight.copy_(its.weight.T)
            mine.bias.copy_(its.bias)
        x = normal(5, 24)
        expected = theirs(x)
        near(ours(x), expected)
        pre = ours.w_in(x)
        for other in (gelu_tanh, F.gelu, F.relu, F.silu):
            far(ours.w_out(other(pre)), expected)
    near(quick_gelu(x), x * torch.sigmoid(1.702 * x))


def test_nearest_colors_are_those_of_the_published_image_processor() -> None:
    from transformers.models.imagegpt.image_processing_pil_imagegpt import color_quantize

    rng = np.random.default_rng(0)
    colors = rng.uniform(0, 255, (64, 3)).astype(np.float32)
    pixels = rng.integers(0, 256, (40, 30, 3))
    expected = color_quantize(pixels.reshape(-1, 3) / 127.5 - 1, colors / 127.5 - 1)  # they count from -1 to 1
    ids = Palette(colors).to_ids(pixels)
    assert (ids.ravel() == expected).all() and len(np.unique(ids)) > 60
    in_bgr = Palette(colors[:, ::-1].copy()).to_ids(pixels)
    assert (in_bgr.ravel() != expected).mean() > 0.5  # channels exchanged
