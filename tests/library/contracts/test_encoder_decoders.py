"""What an encoder-decoder promises, T5 and the transformer of 2017, in every variant that its config allows."""

from typing import Any

import pytest
import torch
from torch import Tensor

from core.models import registry
from core.models.t5 import T5Config
from core.models.transformer import TransformerConfig
from core.nn.block import BlockStyle
from core.nn.tap import Trace
from tests.library.contracts.promises import lively

B, S, T, V, D, H = 3, 6, 5, 11, 8, 2
SIZES: dict[str, Any] = {"vocab_size": V, "n_layer": 2, "n_head": H, "d_model": D}
BUCKETS: dict[str, Any] = {"n_bucket": 8, "max_distance": 6}
EVERY: dict[str, T5Config | TransformerConfig] = {
    "T5, tied": T5Config(**SIZES, **BUCKETS),
    "T5, untied": T5Config(**SIZES, **BUCKETS, tied=False),
    "T5 v1.1, gated": T5Config(**SIZES, **BUCKETS, tied=False, activation="geglu", d_ff=5),
    "T5, asymmetric, wide heads": T5Config(**SIZES, **BUCKETS, n_decoder_layer=3, d_head=5),
    "T5 as large as ever": T5Config(**SIZES),
    "2017": TransformerConfig(**SIZES),
    "2017, pre-norm": TransformerConfig(**SIZES, block=BlockStyle(activation="gelu")),
    "2017, untied, narrow": TransformerConfig(**SIZES, tied=False, d_ff=5),
}
every = pytest.mark.parametrize("config", EVERY.values(), ids=EVERY)


def batch(seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Sources of unequal lengths, targets, and the mask."""
    generator = torch.Generator().manual_seed(seed)
    source, target = torch.randint(V, (B, S), generator=generator), torch.randint(V, (B, T), generator=generator)
    return source, target, torch.arange(S) < torch.tensor([[6], [4], [1]])


def depth(config: T5Config | TransformerConfig, side: str) -> int:
    written = getattr(config, "n_decoder_layer", None) or config.n_layer
    return config.n_layer if side == "encoder" else written


@every
def test_shapes_and_taps(config: T5Config | TransformerConfig) -> None:
    source, target, mask = batch()
    model = lively(config)
    with Trace(model) as trace:
        logits = model(source, target, mask)
    assert logits.shape == (B, T, V) and trace["logits"] is logits
    k, f = getattr(config, "d_head", None) or D // H, config.d_ff or 4 * D
    expected: dict[str, tuple[int, ...]] = {"logits": (B, T, V)}
    for side, n in (("encoder", S), ("decoder", T)):
        expected |= {f"{side}.{name}": (B, n, D) for name in ("embed", "final")}
        stream = ("resid_in", "resid_mid", "resid_out", "attn.out", "mlp.out")
        for layer in range(depth(config, side)):
            at = f"{side}.blocks.{layer}"
            expected |= {f"{at}.{name}": (B, n, D) for name in stream}
            expected |= {f"{at}.attn.{name}": (B, H, n, k) for name in ("q", "k", "v", "heads")}
            expected |= {f"{at}.attn.{name}": (B, H, n, n) for name in ("scores", "weights")}
            expected |= {f"{at}.mlp.{name}": (B, n, f) for name in ("pre", "act")}
            if side == "decoder":
                expected |= {f"{at}.{name}": (B, T, D) for name in ("resid_cross", "cross_attn.out")}
                expected |= {f"{at}.cross_attn.{name}": (B, H, T, k) for name in ("q", "heads")}
                expected |= {f"{at}.cross_attn.{name}": (B, H, S, k) for name in ("k", "v")}
                expected |= {f"{at}.cross_attn.{name}": (B, H, T, S) for name in ("scores", "weights")}
    assert {key: tuple(trace[key].shape) for key in trace} == expected
    for key in trace:
        if key.endswith("weights"):
            rows = trace[key].sum(-1)
            torch.testing.assert_close(rows, torch.ones_like(rows), atol=1e-12, rtol=0)
    hidden = ~mask[:, None, None, :]
    for layer in range(depth(config, "decoder")):
        assert not trace[f"decoder.blocks.{layer}.attn.weights"].triu(1).any()
        assert not trace[f"decoder.blocks.{layer}.cross_attn.weights"].masked_select(hidden).any()
    assert not trace["encoder.blocks.0.attn.weights"].masked_select(hidden).any()


@every
def test_the_encoder_reads_both_ways_and_every_target_position_reads_it(config: T5Config | TransformerConfig) -> None:
    source, target, _ = batch()
    model = lively(config)
    with torch.no_grad():
        before, logits = model.encode(source), model(source, target)
        for s in (0, S - 1):
            other = source.clone()
            other[:, s] = (other[:, s] + 1) % V
            assert bool(((model.encode(other) - before).abs().amax(-1) > 1e-9).all())
            assert bool(((model(other, target) - logits).abs().amax(-1) > 1e-9).all())


@every
def test_padding_changes_nothing(config: T5Config | TransformerConfig) -> None:
    source, target, mask = batch()
    model = lively(config)
    with torch.no_grad():
        logits = model(source, target, mask)
        assert torch.equal(model(source.where(mask, (source + 1) % V), target, mask), logits)
        for row, n in enumerate((6, 4, 1)):
            alone = model(source[row : row + 1, :n], target[row : row + 1])
            torch.testing.assert_close(logits[row : row + 1], alone, atol=1e-12, rtol=0)
        apart = model.decode(target, model.encode(source, mask), mask)
        assert torch.equal(apart, logits)


@every
def test_the_names_are_those_of_the_design_and_the_empty_model_has_the_same(
    config: T5Config | TransformerConfig,
) -> None:
    model, empty = registry.build(config), registry.empty(config)
    assert all(parameter.is_meta for parameter in empty.parameters()) and not list(model.buffers())
    shapes = {name: p.shape for name, p in model.named_parameters()}
    assert {name: p.shape for name, p in empty.named_parameters()} == shapes
    for name in ("tok_emb", "encoder.blocks", "encoder.norm", "decoder.blocks", "decoder.norm", "unembed"):
        assert model.get_submodule(name) is not None
    attention = ("w_q", "w_k", "w_v", "w_o")
    reading = {name for name, _ in model.encoder.blocks[0].named_modules()}
    writing = {name for name, _ in model.decoder.blocks[0].named_modules()}
    assert {"norm_1", "norm_2", "mlp", *(f"attn.{one}" for one in attention)} <= reading & writing
    assert {"norm_cross", *(f"cross_attn.{one}" for one in attention)} <= writing - reading
    assert (model.unembed.weight is model.tok_emb.weight) == config.tied
    for side in ("encoder", "decoder"):
        assert len(model.get_submodule(side).blocks) == depth(config, side)


@pytest.mark.parametrize(
    ("cls", "change", "words"),
    [
        (T5Config, {"n_head": 3}, "not divisible by n_head=3"),
        (T5Config, {"n_bucket": 6}, "n_bucket=6 is not divisible by 4"),
        (T5Config, {"n_bucket": 32, "max_distance": 16}, "max_distance=16 is not above half"),
        (T5Config, {"activation": "mish"}, "activation='mish' is none of"),
        (T5Config, {"n_decoder_layer": 0}, "n_decoder_layer=0"),
        (TransformerConfig, {"n_head": 3}, "not divisible by n_head=3"),
        (TransformerConfig, {"n_layer": 0}, "n_layer=0"),
        (TransformerConfig, {"d_ff": 0}, "d_ff=0"),
    ],
)
def test_impossible_configs_are_refused(cls: Any, change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        cls(**SIZES | change)
