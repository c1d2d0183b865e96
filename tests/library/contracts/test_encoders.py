"""What an encoder promises, BERT with each of its heads and ViT, in every variant that its config allows."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.models import registry
from core.models.bert import HEADS, BERTConfig
from core.models.vit import ViTConfig, patches
from core.nn.block import BlockStyle
from core.nn.tap import Trace
from tests.library.contracts.promises import lively

B, T, V, D, H = 3, 7, 13, 8, 2
SIZES: dict[str, Any] = {"n_layer": 3, "n_head": H, "d_model": D}
TEXT = SIZES | {"vocab_size": V, "context_length": 8, "n_label": 4}
PRE_NORM = BlockStyle(activation="gelu")
TEXTS = {f"BERT, {head}": BERTConfig(**TEXT, head=head) for head in HEADS} | {
    "BERT without segments": BERTConfig(**TEXT, n_segment=0),
    "BERT with ReLU in the pooler": BERTConfig(**TEXT, head="sequence", pool="relu"),
    "BERT, pre-norm, narrow": BERTConfig(**TEXT, d_ff=5, block=PRE_NORM),
    "BERT by tanh, larger eps": BERTConfig(**TEXT, block=BlockStyle(norm_first=False, eps=1e-3)),
}
PICTURES = {
    "ViT": ViTConfig(**SIZES, image_size=6, patch_size=3, n_channel=2, n_class=5),
    "ViT without a head": ViTConfig(**SIZES, image_size=6, patch_size=2, n_class=0),
    "ViT, post-norm": ViTConfig(**SIZES, image_size=4, patch_size=2, block=BlockStyle(norm_first=False)),
}
EVERY: dict[str, BERTConfig | ViTConfig] = {**TEXTS, **PICTURES}
every = pytest.mark.parametrize("config", EVERY.values(), ids=EVERY)
every_text = pytest.mark.parametrize("config", TEXTS.values(), ids=TEXTS)
every_picture = pytest.mark.parametrize("config", PICTURES.values(), ids=PICTURES)


def given(config: BERTConfig | ViTConfig, seed: int = 0) -> Tensor:
    """What the model is called with: ids, or pictures in double precision."""
    generator = torch.Generator().manual_seed(seed)
    if isinstance(config, BERTConfig):
        return torch.randint(V, (B, T), generator=generator)
    size = (B, config.n_channel, config.image_size, config.image_size)
    return torch.randn(size, generator=generator, dtype=torch.float64)


def n_token(config: BERTConfig | ViTConfig) -> int:
    return T if isinstance(config, BERTConfig) else 1 + config.n_patch


def answer_shape(config: BERTConfig | ViTConfig) -> tuple[int, ...]:
    if isinstance(config, ViTConfig):
        return (B, config.n_class or D)
    return {"masked": (B, T, V), "sequence": (B, 4), "tokens": (B, T, 4), "none": (B, T, D)}[config.head]


@every
def test_shapes_and_taps(config: BERTConfig | ViTConfig) -> None:
    model, n = lively(config), n_token(config)
    with Trace(model) as trace:
        logits = model(given(config))
    assert tuple(logits.shape) == answer_shape(config) and trace["logits"] is logits
    f = config.d_ff or 4 * D
    expected = {"embed": (B, n, D), "final": (B, n, D), "logits": answer_shape(config)}
    for layer in range(config.n_layer):
        at = f"blocks.{layer}"
        stream = ("resid_in", "resid_mid", "resid_out", "attn.out", "mlp.out")
        expected |= {f"{at}.{name}": (B, n, D) for name in stream}
        expected |= {f"{at}.attn.{name}": (B, H, n, D // H) for name in ("q", "k", "v", "heads")}
        expected |= {f"{at}.attn.{name}": (B, H, n, n) for name in ("scores", "weights")}
        expected |= {f"{at}.mlp.{name}": (B, n, f) for name in ("pre", "act")}
        rows = trace[f"{at}.attn.weights"].sum(-1)
        torch.testing.assert_close(rows, torch.ones_like(rows), atol=1e-12, rtol=0)
    special = {"head.pooled": (B, D), "patches": trace["patches"].shape if "patches" in trace else ()}
    assert {key: tuple(trace[key].shape) for key in trace if key not in special} == expected
    assert all(len(trace.steps(key)) == 1 for key in trace)
    assert model.mask(n).all() and model.mask(n).shape == (n, n)


@every
def test_the_names_are_those_of_the_design_and_the_empty_model_has_the_same(config: BERTConfig | ViTConfig) -> None:
    model, empty = registry.build(config), registry.empty(config)
    assert all(parameter.is_meta for parameter in empty.parameters())
    shapes = {name: p.shape for name, p in model.named_parameters()}
    assert {name: p.shape for name, p in empty.named_parameters()} == shapes
    assert not list(model.buffers())
    for name in ("pos_emb", "blocks", "norm", "tok_emb" if isinstance(config, BERTConfig) else "patch_emb"):
        assert hasattr(model, name), name
    names = {name for name, _ in model.blocks[0].named_modules()}
    assert {"norm_1", "attn", "attn.w_q", "attn.w_k", "attn.w_v", "attn.w_o", "norm_2", "mlp"} <= names
    if isinstance(config, BERTConfig) and config.head == "masked":
        assert model.head.unembed.weight is model.tok_emb.weight
    if isinstance(config, ViTConfig) and config.n_class:
        assert isinstance(model.unembed, nn.Linear)


# --- texts -----------------------------------------------------------------------------------------------------------


@every_text
def test_padding_changes_nothing(config: BERTConfig) -> None:
    model, ids = lively(config), given(config)
    mask = torch.arange(T) < torch.tensor([[T], [4], [1]])
    logits = model(ids, mask)
    other = model(ids.where(mask, (ids + 1) % V), mask)
    whole = config.head == "sequence"
    for row, n in enumerate((T, 4, 1)):
        alone = model(ids[row : row + 1, :n])[0]
        torch.testing.assert_close(logits[row] if whole else logits[row, :n], alone, atol=1e-12, rtol=0)
        there = slice(None) if whole else slice(n)
        assert torch.equal(other[row][there], logits[row][there])  # what stands in the padding is never read
    with Trace(model) as trace:
        model(ids, mask)
    assert not trace["blocks.1.attn.weights"].masked_select(~mask[:, None, None, :]).any()


@every_text
def test_every_position_reads_in_both_directions(config: BERTConfig) -> None:
    model, ids = lively(config), given(config)[:1]
    with torch.no_grad():
        before = model.body(ids)
        for t in (0, 3, T - 1):
            other = ids.clone()
            other[0, t] = (other[0, t] + 1) % V
            assert bool(((model.body(other) - before).abs().amax(-1) > 1e-6).all())


@every_text
def test_segments(config: BERTConfig) -> None:
    model, ids = lively(config), given(config)
    if not config.n_segment:
        assert model.seg_emb is None
        return
    first, second = torch.zeros_like(ids), torch.ones_like(ids)
    assert torch.equal(model(ids), model(ids, None, first)) and not torch.equal(model(ids), model(ids, None, second))
    embed = model.embed(ids) - model.seg_emb.weight[0]
    positions = model.pos_emb.weight[:T]
    torch.testing.assert_close(embed, model.tok_emb(ids) + positions, atol=1e-12, rtol=0)


def test_more_tokens_than_positions() -> None:
    with pytest.raises(ValueError, match="9 tokens do not fit context_length=8"):
        registry.build(TEXTS["BERT, masked"])(torch.zeros(1, 9, dtype=torch.long))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"head": "hydra"}, "head='hydra' is none of"),
        ({"pool": "max"}, "pool='max' is none of"),
        ({"n_head": 3}, "not divisible by n_head=3"),
        ({"n_segment": -1}, "n_segment=-1"),
        ({"n_label": 0}, "n_label=0"),
        ({"d_ff": 0}, "d_ff=0"),
    ],
)
def test_impossible_berts_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        BERTConfig(**TEXT | change)


# --- pictures --------------------------------------------------------------------------------------------------------


@every_picture
def test_patches_are_cut_as_a_convolution_cuts_them(config: ViTConfig) -> None:
    model, images = lively(config), given(config)
    p = config.patch_size
    conv = nn.Conv2d(config.n_channel, D, p, stride=p).double()
    with torch.no_grad():
        conv.weight.copy_(model.patch_emb.weight.reshape(conv.weight.shape))
        conv.bias.copy_(model.patch_emb.bias)  # type: ignore[union-attr]
    expected = conv(images).flatten(2).transpose(1, 2)
    torch.testing.assert_close(model.patch_emb(patches(images, p)), expected, atol=1e-12, rtol=0)
    first = patches(images, p)[:, 1]
    torch.testing.assert_close(first, images[:, :, :p, p : 2 * p].flatten(1), atol=0, rtol=0)


@every_picture
def test_a_patch_is_read_by_all_and_without_positions_their_order_is_nothing(config: ViTConfig) -> None:
    model, images = lively(config), given(config)
    other = images.clone()
    other[:, :, 0, 0] += 1
    with torch.no_grad(), Trace(model) as first:
        model(images)
    with torch.no_grad(), Trace(model) as second:
        model(other)
    changed = (first["embed"] - second["embed"]).abs().amax(-1) > 1e-9
    assert changed.sum(1).tolist() == [1] * B and bool(changed[:, 1].all())
    assert bool(((first["final"] - second["final"]).abs().amax(-1) > 1e-9).all())
    with torch.no_grad():
        model.pos_emb.weight.zero_()
        p = config.patch_size
        swapped = images.clone()
        swapped[..., :p, :p], swapped[..., p:, p:] = images[..., -p:, -p:], images[..., p:, p:]
        swapped[..., -p:, -p:] = images[..., :p, :p]
        torch.testing.assert_close(model(swapped), model(images), atol=1e-12, rtol=0)


def test_pictures_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(2, 5, 6\) do not fit the model's \(2, 6, 6\)"):
        registry.build(PICTURES["ViT"])(torch.zeros(1, 2, 5, 6))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"patch_size": 4}, "image_size=6 is not divisible by patch_size=4"),
        ({"n_channel": 0}, "n_channel=0 must be at least 1"),
        ({"n_class": -1}, "n_class=-1 must be at least 0"),
        ({"n_head": 3}, "not divisible by n_head=3"),
        ({"d_ff": 0}, "d_ff=0"),
    ],
)
def test_impossible_vits_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ViTConfig(**SIZES | {"image_size": 6} | change)
