"""ViT and ImageGPT part by part, against torch and Hugging Face: each part alone, every parameter random.

Whole models are compared in `test_imports.py`; there an error in one part may be hidden by another. Each mistake that
is easily made here is made on purpose, and must be far beyond the bar.
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

from core.models.image_gpt import ImageGPTConfig
from core.models.pretrained import load
from core.models.vit import patches
from core.nn.feed_forward import FeedForward, gelu_tanh, quick_gelu
from core.nn.norms import LayerNorm, RMSNorm
from core.nn.tap import Trace
from core.rooms.pixels.compute.palette import Palette

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
    """With every parameter drawn anew, gains about 1, none of them at its start value."""
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
    near(F.linear(patches(images, size), weight, convolution.bias), expected)
    for what, order in WRONG_ORDERS.items():
        if (n_channel > 1 or "channels" not in what) and (size > 1 or "patches" in what):
            far(F.linear(cut_wrongly(images, size, order), weight, convolution.bias), expected)


@pytest.mark.parametrize("n_channel", CHANNELS)
def test_vits_patches_class_token_and_positions(tmp_path: Path, n_channel: int) -> None:
    reference, ours, images = vit(tmp_path, n_channel)
    embeddings = reference.vit.embeddings
    with torch.no_grad():
        near(ours.patch_emb(patches(images, 4)), embeddings.patch_embeddings(images))
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


@pytest.mark.parametrize("layer", [0, 1])
def test_one_block_of_vit_and_its_attention_maps(tmp_path: Path, layer: int) -> None:
    reference, ours, _ = vit(tmp_path)
    block, mine = reference.vit.layers[layer], ours.blocks[layer]
    x = normal(2, 10, 24, seed=3)
    with torch.no_grad():
        read, maps = block.attention(block.layernorm_before(x), None)
        expected = block(x)
        with Trace(mine) as trace:
            out = mine(x)
        near(out, expected)
        near(mine.norm_1(x), block.layernorm_before(x))
        near(mine.norm_2(x), block.layernorm_after(x))
        near(trace["attn.weights"], maps)
        near(trace["resid_mid"] - x, read)
        near(mine.mlp(x), block.mlp(x))
        assert maps.shape == (2, 3, 10, 10)
        far(trace["attn.weights"].mT, maps)  # queries and keys exchanged
        far(mine.attn(mine.norm_2(x)) + x, trace["resid_mid"])  # the other norm's gain
        far(x + mine.mlp(mine.norm_2(x)), expected)  # attention left out
        far(mine.mlp.w_out(gelu_tanh(mine.mlp.w_in(x))), block.mlp(x))  # GELU by tanh


def test_the_last_norm_comes_before_the_class_token_is_read(tmp_path: Path) -> None:
    reference, ours, images = vit(tmp_path)
    with torch.no_grad(), Trace(ours) as trace:
        logits = ours(images)
        hidden = reference.vit(images).last_hidden_state
        expected = reference(images).logits
        near(trace["final"], hidden)
        near(logits, expected)
        far(ours.unembed(trace["blocks.1.resid_out"][:, 0]), expected)  # without the norm
        far(ours.unembed(hidden.mean(1)), expected)  # the mean of all tokens
        far(ours.unembed(hidden[:, -1]), expected)  # the last patch
        far(hidden - hidden.mean(-1, keepdim=True), hidden)  # its bias: a second norm would be seen


# --- ImageGPT --------------------------------------------------------------------------------------------------------


def image_gpt(folder: Path) -> tuple[Any, Any, Tensor]:
    """Theirs, ours with the same weights, and three pictures of 16 pixels with the start token before them."""
    config = t.ImageGPTConfig(vocab_size=V, n_positions=T, n_embd=24, n_layer=2, n_head=3)
    config._attn_implementation = "eager"
    reference = shaken(t.ImageGPTForCausalImageModeling(config))
    reference.save_pretrained(folder)
    ids = torch.randint(0, V - 1, (3, T), generator=torch.Generator().manual_seed(4))
    ids[:, 0] = V - 1
    return reference, load(folder).model, ids


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


@pytest.mark.parametrize("layer", [0, 1])
def test_one_block_of_image_gpt_and_its_attention_maps(tmp_path: Path, layer: int) -> None:
    reference, ours, _ = image_gpt(tmp_path)
    block, mine, x = reference.transformer.h[layer], ours.blocks[layer], normal(3, T, 24, seed=5) + 0.5
    causal = torch.full((T, T), torch.finfo(torch.float32).min).triu(1)[None, None]
    with torch.no_grad():
        expected, maps = block(x, attention_mask=causal, output_attentions=True)[:2]
        with Trace(mine) as trace:
            near(mine(x, mask=ours.mask(T)), expected)
        near(trace["attn.weights"], maps)
        assert not trace["attn.weights"].triu(1).any()
        far(mine(x), expected)  # every pixel sees all
        far(mine(x - x.mean(-1, keepdim=True)) + x.mean(-1, keepdim=True), expected)  # the mean taken out before


def test_image_gpt_reads_one_token_more_than_it_writes(tmp_path: Path) -> None:
    reference, ours, ids = image_gpt(tmp_path)
    assert ours.config == ImageGPTConfig(vocab_size=V, context_length=T, n_layer=2, n_head=3, d_model=24,
                                         d_ff=ours.config.d_ff)  # fmt: skip
    assert ours.config.start_id == V - 1 and ours.tok_emb.weight.shape[0] == V and ours.unembed.weight.shape[0] == V - 1
    assert ours.unembed.bias is None
    with torch.no_grad():
        out = reference(ids, output_hidden_states=True)
        near(ours.embed(ids), out.hidden_states[0])
        with Trace(ours) as trace:
            logits = ours(ids)
        near(logits, out.logits)
        assert logits.shape == (3, T, V - 1)
        near(trace["final"], out.hidden_states[-1])
        start_at_0 = ids.clone()
        start_at_0[:, 0] = 0
        far(ours(start_at_0), out.logits)  # another start token
        far(ours.tok_emb(ids), out.hidden_states[0])  # no positions
        far(trace["final"] @ ours.tok_emb.weight[:-1].T, out.logits)  # tied weights
        # A loss by the next pixel: theirs and ours agree where the rows are moved by one, and nowhere else.
        theirs = reference(ids, labels=ids.clone().clamp(max=V - 2)).loss
        right = ids[:, 1:].flatten()
        near_loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), right)
        assert abs(float(near_loss - theirs)) < BAR
        same_place = F.cross_entropy(logits[:, 1:].flatten(0, 1), right)
        assert abs(float(same_place - theirs)) > FAR


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
