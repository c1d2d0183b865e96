"""What every model of the registry promises, in every variant that its config allows."""

import json
import re
import threading
from dataclasses import asdict, fields

import pytest
import torch
from torch import Tensor

from core.models import registry
from core.models.gpt import GPTConfig
from core.models.rnn import RNNConfig
from core.nn import feed_forward, masks, positions
from core.nn.block import Block, BlockStyle
from core.nn.positions import POSITIONS, Rotary
from core.nn.recurrent import CELLS
from core.nn.tap import Trace
from tests.library.contracts.promises import lively

V, T = 13, 7
SIZES = {"vocab_size": V, "context_length": 8, "n_layer": 3, "n_head": 2, "d_model": 8}
STYLES = {
    "post-norm": BlockStyle(norm_first=False),
    "no residual": BlockStyle(residual=False),
    "post-norm, no residual": BlockStyle(norm_first=False, residual=False),
    "rms": BlockStyle(norm="rms"),
    "rms_plain": BlockStyle(norm="rms_plain", bias=False),
    "layer without bias": BlockStyle(bias=False),
    "qk_norm": BlockStyle(qk_norm=True),
    "biases of q, k, v alone, learned gains": BlockStyle(bias="qkv", qk_norm="gain"),
    "attention only": BlockStyle(feed_forward=False),
    "attention only, post-norm": BlockStyle(feed_forward=False, norm_first=False),
} | {activation: BlockStyle(activation=activation) for activation in feed_forward.ACTIVATIONS}
VARIANTS: dict[str, GPTConfig] = (
    {f"positions {name}": GPTConfig(**SIZES, positions=name) for name in POSITIONS}
    | {name: GPTConfig(**SIZES, block=style) for name, style in STYLES.items()}
    | {
        "untied": GPTConfig(**SIZES, tied=False),
        "embed_norm": GPTConfig(**SIZES, embed_norm=True),
        "narrow embeddings, output bias": GPTConfig(**SIZES, d_embed=5, tied=False, output_bias=True),
        "tied, output bias": GPTConfig(**SIZES, output_bias=True),
        "own slopes": GPTConfig(**SIZES, positions="alibi", slopes=(0.5, 0.0)),
        "narrow feed-forward": GPTConfig(**SIZES, d_ff=3),
        "shared keys, wide heads, scaled rotary": GPTConfig(**SIZES, n_kv_head=1, d_head=6, positions="rotary",
                                                            rotary=Rotary(base=500.0, factor=2.0, trained_length=8)),
        "all at once": GPTConfig(**SIZES, positions="rotary", tied=False, embed_norm=True,
                                 block=BlockStyle(norm="rms", norm_first=False, activation="swiglu", qk_norm=True)),
    }
)  # fmt: skip
RECURRENT = {
    f"{cell}, {n_layer} layers, tied={tied}": RNNConfig(vocab_size=V, context_length=8, cell=cell, n_layer=n_layer,
                                                        d_model=8, tied=tied)
    for cell, n_layer, tied in (*((cell, 1, False) for cell in CELLS), ("gru", 3, True))
}  # fmt: skip
EVERY: dict[str, GPTConfig | RNNConfig] = {**VARIANTS, **RECURRENT}
every_variant = pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
every_recurrent = pytest.mark.parametrize("config", RECURRENT.values(), ids=RECURRENT)
every_model = pytest.mark.parametrize("config", EVERY.values(), ids=EVERY)


def ids(seed: int = 0, batch: int = 2, n_token: int = T) -> Tensor:
    return torch.randint(V, (batch, n_token), generator=torch.Generator().manual_seed(seed))


@every_model
def test_logits_have_their_shape(config: GPTConfig | RNNConfig) -> None:
    model = registry.build(config)
    assert model(ids()).shape == (2, T, V)
    assert model(ids(n_token=1)).shape == (2, 1, V)
    assert model(ids(n_token=8)).dtype == torch.float32


@every_variant
def test_all_promised_taps_are_there_in_their_shapes(config: GPTConfig) -> None:
    model = lively(config)
    with Trace(model) as trace:
        logits = model(ids())
    b, h, d, f = 2, config.n_head, config.d_model, config.d_ff or 4 * config.d_model
    expected = {"embed": (b, T, d), "final": (b, T, d), "logits": (b, T, V)}
    for n in range(config.n_layer):
        expected |= {f"blocks.{n}.{name}": (b, T, d) for name in ("resid_in", "resid_mid", "resid_out", "attn.out")}
        expected |= {f"blocks.{n}.attn.{name}": (b, h, T, config.d_head or d // h) for name in ("q", "k", "v", "heads")}
        expected |= {f"blocks.{n}.attn.{name}": (b, h, T, T) for name in ("scores", "weights")}
        if config.block.feed_forward:
            expected |= {f"blocks.{n}.mlp.{name}": (b, T, f) for name in ("pre", "act")}
            expected[f"blocks.{n}.mlp.out"] = (b, T, d)
    assert {key: tuple(trace[key].shape) for key in trace} == expected
    assert all(len(trace.steps(key)) == 1 for key in trace)
    assert trace["logits"] is logits
    for n in range(config.n_layer):
        weights = trace[f"blocks.{n}.attn.weights"]
        torch.testing.assert_close(weights.sum(-1), torch.ones(b, h, T, dtype=torch.float64), atol=1e-12, rtol=0)
        assert not weights.triu(1).any()
        before = trace["embed"] if n == 0 else trace[f"blocks.{n - 1}.resid_out"]
        assert torch.equal(trace[f"blocks.{n}.resid_in"], before)


@every_recurrent
def test_a_recurrent_net_taps_its_gates_once_a_token(config: RNNConfig) -> None:
    model = lively(config)
    with Trace(model) as trace:
        logits = model(ids())
    assert trace["logits"] is logits and trace["embed"].shape == trace["final"].shape == (2, T, config.d_model)
    for n, cell in enumerate(model.blocks):
        for name in (*cell.gates, "h"):
            steps = trace.steps(f"blocks.{n}.{name}")
            assert [tuple(step.shape) for step in steps] == [(2, config.d_model)] * T
            assert all(bool((step.abs() <= 1).all()) for step in steps)
    last = torch.stack(trace.steps(f"blocks.{config.n_layer - 1}.h"), 1)
    assert torch.equal(last, trace["final"])


@every_variant
def test_the_stream_adds_up(config: GPTConfig) -> None:
    model, style = lively(config), config.block
    with torch.no_grad(), Trace(model) as trace:
        model(ids())
        for n, layer in enumerate(model.blocks):
            x = trace[f"blocks.{n}.resid_in"]
            parts = [("attn.out", "norm_1", "resid_mid"), ("mlp.out", "norm_2", "resid_out")]
            for change, norm, result in parts if style.feed_forward else parts[:1]:
                x = trace[f"blocks.{n}.{change}"] + (x if style.residual else 0)
                x = x if style.norm_first else layer.get_submodule(norm)(x)
                torch.testing.assert_close(trace[f"blocks.{n}.{result}"], x, atol=1e-12, rtol=0)
            assert torch.equal(trace[f"blocks.{n}.resid_out"], x) or style.feed_forward
        final = model.norm(x) if style.norm_first else x
        torch.testing.assert_close(trace["final"], final, atol=1e-12, rtol=0)
        logits = final @ model.unembed.weight.T + (model.unembed.bias if config.output_bias else 0)
        torch.testing.assert_close(trace["logits"], logits, atol=1e-12, rtol=0)


@every_variant
def test_attributes_have_the_common_names(config: GPTConfig) -> None:
    model = registry.build(config)
    for name in ("tok_emb", "pos_emb", "blocks", "norm", "unembed"):
        assert hasattr(model, name), name
    names = {name for name, _ in model.blocks[0].named_modules()}
    assert {"norm_1", "attn", "attn.w_q", "attn.w_k", "attn.w_v", "attn.w_o"} <= names
    assert ({"norm_2", "mlp"} <= names) == config.block.feed_forward
    assert (model.unembed.weight is model.tok_emb.weight) == config.tied


def test_two_threads_that_trace_one_model_do_not_mix() -> None:
    model = lively(VARIANTS["positions learned"])
    alone = {}
    for seed in range(2):
        with Trace(model) as trace:
            model(ids(seed))
        alone[seed] = dict(trace)
    barrier, wrong = threading.Barrier(2), []

    def look(seed: int) -> None:
        barrier.wait()
        for _ in range(30):
            with Trace(model, {"embed": lambda x: x} if seed else None) as trace:
                model(ids(seed))
            if any(len(trace.steps(key)) != 1 or not torch.equal(trace[key], alone[seed][key]) for key in alone[seed]):
                wrong.append(seed)

    threads = [threading.Thread(target=look, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_full_attention_is_equivariant_to_permutations(style: BlockStyle) -> None:
    layer = Block(8, 2, style=style).double()
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(0.1, 0.5, generator=generator)
        x = torch.randn(2, 6, 8, generator=generator, dtype=torch.float64)
        order = torch.randperm(6, generator=generator)
        plain, shuffled = layer(x, mask=masks.full(6)), layer(x[:, order], mask=masks.full(6))
    torch.testing.assert_close(shuffled, plain[:, order], atol=1e-12, rtol=0)
    assert float((shuffled - plain).abs().max()) > 1e-3  # equivariant, and not invariant


def test_one_causal_layer_without_positions_does_not_see_the_order_and_two_do() -> None:
    sentence = torch.tensor([[1, 2, 3, 4, 5]])
    shuffled = torch.tensor([[3, 1, 4, 2, 5]])
    for n_layer, sees in ((1, False), (2, True)):
        model = lively(GPTConfig(**SIZES | {"n_layer": n_layer}, positions="none"))
        with torch.no_grad():
            change = float((model(sentence)[0, -1] - model(shuffled)[0, -1]).abs().max())
        assert (change > 1e-3) if sees else (change < 1e-12)


@pytest.mark.parametrize("positions", POSITIONS)
def test_without_the_causal_mask_every_position_reads_the_whole_text(positions: str) -> None:
    config = GPTConfig(**SIZES, positions=positions, causal=False)
    model = lively(config)
    assert model.mask(4).all() and not registry.build(GPTConfig(**SIZES)).mask(4).triu(1).any()
    text, other = ids(batch=1), ids(batch=1)
    other[0, -1] = (other[0, -1] + 1) % V
    with torch.no_grad():
        change = (model(text) - model(other)).abs().amax(-1)[0]
    assert bool((change > 1e-6).all())
    if positions == "none":  # and then the order of the words is nothing to it
        order = torch.randperm(T, generator=torch.Generator().manual_seed(1))
        with torch.no_grad():
            torch.testing.assert_close(model(text[:, order]), model(text)[:, order], atol=1e-12, rtol=0)
    assert registry.from_dict(registry.to_dict(config)) == config


def test_score_biases_are_those_of_their_scheme() -> None:
    like = torch.zeros(1)
    own = registry.build(VARIANTS["own slopes"]).score_bias(5, like)
    assert own is not None and own[0, 4].tolist() == [-2, -1.5, -1, -0.5, 0] and not own[1].any()
    paper = registry.build(VARIANTS["positions alibi"]).score_bias(5, like)
    assert paper is not None and paper[:, 1, 0].tolist() == [-(2.0**-4), -(2.0**-8)]
    relative = registry.build(VARIANTS["positions relative"])
    bias = relative.score_bias(16, like)
    assert bias is not None and isinstance(relative.pos_emb, positions.RelativeBias)
    assert torch.equal(bias[:, 15].flip(-1), relative.pos_emb.table.weight[:16].T)  # each near distance has its own
    assert registry.build(VARIANTS["positions rotary"]).score_bias(5, like) is None


def test_more_tokens_than_positions() -> None:
    with pytest.raises(ValueError, match="9 tokens do not fit context_length=8"):
        registry.build(VARIANTS["positions learned"])(ids(n_token=9))
    for name in POSITIONS:
        if name != "learned":
            assert registry.build(VARIANTS[f"positions {name}"])(ids(n_token=20)).shape == (2, 20, V)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"d_model": 30, "n_head": 4}, "d_model=30 is not divisible by n_head=4"),
        ({"positions": "gps"}, "positions='gps' is none of none, learned"),
        ({"positions": "rotary", "n_head": 8}, "even d_head, got 1"),
        ({"positions": "alibi", "slopes": (1.0,)}, "1 slopes do not match n_head=2"),
        ({"positions": "rotary", "d_head": 3}, "even d_head, got 3"),
        ({"rotary": Rotary(factor=2.0)}, "factor=2.0.* needs positions='rotary', not 'learned'"),
        ({"n_kv_head": 3}, "n_head=2 is not divisible by n_kv_head=3"),
        ({"n_kv_head": 0}, "n_kv_head=0 must be at least 1"),
        ({"d_head": 0}, "d_head=0 must be at least 1"),
        ({"vocab_size": 0}, "vocab_size=0 must be at least 1"),
        ({"d_ff": 0}, "d_ff=0 must be at least 1"),
    ],
)
def test_impossible_configs_are_refused(change: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        GPTConfig(**SIZES | change)


@pytest.mark.parametrize(
    ("of", "change", "words"),
    [
        (BlockStyle, {"norm": "batch"}, "norm='batch' is none of layer, rms, rms_plain"),
        (BlockStyle, {"activation": "elu"}, "activation='elu' is none of relu, gelu"),
        (BlockStyle, {"bias": "q"}, "bias='q' is none of True, False, 'qkv'"),
        (BlockStyle, {"qk_norm": 1}, "qk_norm=1 is none of True, False, 'gain'"),
        (BlockStyle, {"eps": 0.0}, "eps=0.0 is not between 0 and 1"),
        (Rotary, {"base": 0.0}, "base=0.0 must be more than 0"),
        (Rotary, {"factor": -1.0}, "factor=-1.0 must be more than 0"),
        (Rotary, {"trained_length": 0}, "trained_length=0 must be at least 1"),
        (Rotary, {"slow": 4.0}, "slow=4.0 must be more than 0 and less than fast=4.0"),
    ],
)
def test_impossible_options_are_refused(of: type, change: dict, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        of(**change)


@pytest.mark.parametrize("config", [VARIANTS["shared keys, wide heads, scaled rotary"],
                                    VARIANTS["biases of q, k, v alone, learned gains"]])  # fmt: skip
def test_options_go_through_json(config: GPTConfig) -> None:
    assert registry.from_dict(json.loads(json.dumps(registry.to_dict(config)))) == config
    with pytest.raises(ValueError, match=r"block\.bias='kv' should be true or false"):
        registry.from_dict({"kind": "gpt", "vocab_size": 5, "block": {"bias": "kv"}})


def test_unknown_kinds_and_configs_are_refused() -> None:
    with pytest.raises(ValueError, match="no architecture here; there are gpt"):
        registry.from_dict({"kind": "oracle"})
    with pytest.raises(ValueError, match="no field depth"):
        registry.from_dict({"kind": "gpt", "vocab_size": 5, "depth": 3})
    with pytest.raises(ValueError, match="no registered config"):
        registry.build(object())
    style = asdict(BlockStyle())
    assert set(style) == {field.name for field in fields(BlockStyle)}
    assert registry.from_dict({"kind": "gpt", "vocab_size": 5, "block": style}).block == BlockStyle()
