"""The contract of every kind of model in the registry, in every variant that its config allows.

A new kind is tested as soon as it is registered. The special properties of each have their own tests.
"""

import dataclasses
import inspect
import json
import math
from typing import Any

import pytest
import torch
from torch import nn

from core.inspect.single_text_models import encoder_or_model
from core.models import registry
from core.models.bert import BERTConfig
from core.models.configs.modern import Modern
from core.models.images.captioner import CaptionerConfig
from core.models.images.multiscale_vit import MultiScaleViTConfig
from core.models.images.vit import ViTConfig
from core.nn.block import Block, BlockStyle
from core.nn.positions import RotarySettings
from core.nn.tap import Trace
from core.rooms.pretrained.model_choice import NO_ROOM_TEXTS, ROOM_LINKS
from tests.configs import changed
from tests.library.contracts.promises import EVERY, B, S, T, each, inputs, lively, with_next

every = each(EVERY)


def is_idle(config: Any, name: str) -> bool:
    """Return whether a tensor can't matter.

    A key's bias shifts a row's scores equally, unless keys are turned. One vector that is read has weight 1, whatever
    the question. A decoder without attention gets the encoder's last state alone.
    """
    reads_one = getattr(config, "reads", "") == "class"
    of_question = (*(f"cross_attn.{one}" for one in ("w_q", "w_k", "q", "k", "scores")), "norm_cross")
    return (
        name.endswith("w_k.bias")
        or (reads_one and any(part in name for part in of_question))
        or (name == "encoder.states" and config.attention == "none")
    )


def answer(config: Any) -> tuple[int, ...]:
    if isinstance(config, BERTConfig):
        n = config.n_label
        return {"masked": (B, T, config.vocab_size), "replaced": (B, T), "sequence": (B, n), "tokens": (B, T, n),
                "span": (B, T, 2), "none": (B, T, config.d_model)}[config.head]  # fmt: skip
    if hasattr(config, "n_class"):
        return B, config.n_class or (config.width(1) if isinstance(config, MultiScaleViTConfig) else config.d_model)
    if (n_label := registry.modern_options_of_model(config).n_label) is not None:
        return B, T, n_label
    return B, T, config.vocab_size - (registry.family_of(config).kind == "image_gpt")


def block_sizes(config: Any, path: str) -> tuple[int, int, int, int, int]:
    """Rows, tokens, width, heads of a block, and how much its cross-attention reads."""
    if isinstance(config, MultiScaleViTConfig):
        s = int(path.split(".")[1])
        w = config.window_of(s)
        return B * (config.side(s) // w) ** 2, w * w, config.width(s), config.n_head[s], 0
    n_token, n_source = (S if path.startswith("encoder") else T), S
    if isinstance(config, CaptionerConfig):
        n_token, n_source = (1 + config.encoder.n_patch if path.startswith("encoder") else T), config.n_memory
    if isinstance(config, ViTConfig):
        n_token = 1 + config.n_patch
    return B, n_token, config.d_model, config.n_head, n_source


def block_taps(config: Any, path: str, block: Block) -> dict[str, tuple[int, ...]]:
    """Return the tensors that a block must tap, and their shapes."""
    b, n, d, h, s = block_sizes(config, path)
    k, f = registry.modern_options_of_model(config).d_head or d // h, getattr(config, "d_ff", None) or 4 * d
    made = dict.fromkeys(("resid_in", "resid_mid", "resid_out", "attn.out"), (b, n, d))
    made |= {f"attn.{name}": (b, h, n, k) for name in ("q", "k", "v", "heads")}
    made |= {f"attn.{name}": (b, h, n, n) for name in ("scores", "weights")}
    if block.style.feed_forward:
        made |= {"mlp.pre": (b, n, f), "mlp.act": (b, n, f), "mlp.out": (b, n, d)}
    if block.cross_attn is not None:
        made |= {"resid_cross": (b, n, d), "cross_attn.out": (b, n, d)}
        made |= {f"cross_attn.{name}": (b, h, n, k) for name in ("q", "heads")}
        made |= {f"cross_attn.{name}": (b, h, s, k) for name in ("k", "v")}
        made |= {f"cross_attn.{name}": (b, h, n, s) for name in ("scores", "weights")}
    return {f"{path}.{name}": shape for name, shape in made.items()}


@every
def test_all_promised_taps_are_there_in_their_shapes(config: Any) -> None:
    model = lively(config)
    with torch.no_grad(), Trace(model) as trace:
        logits = model(**inputs(config))
    assert trace["logits"] is logits and tuple(logits.shape) == answer(config)
    expected: dict[str, tuple[int, ...]] = {}
    for path, block in model.named_modules():
        if isinstance(block, Block):
            expected |= block_taps(config, path, block)
            if (below := trace.get(before(path))) is not None:
                assert torch.equal(trace[f"{path}.resid_in"], below)
    assert {key: tuple(trace[key].shape) for key in trace if key in expected or ".blocks." in key} == expected
    if expected and not isinstance(config, MultiScaleViTConfig):
        for side in ("encoder.", "decoder.") if hasattr(model, "decoder") else ("",):
            b, n, d, _, _ = block_sizes(config, f"{side}blocks.0")
            assert trace[f"{side}embed"].shape == trace[f"{side}final"].shape == (b, n, d)
        assert all(len(trace.steps(key)) == 1 for key in trace)


def before(path: str) -> str:
    """Return the unchanged input of a block: the embeddings, or the output of the block below."""
    stem, _, n = path.rpartition(".")
    side = stem.removesuffix("blocks")
    return f"{stem}.{int(n) - 1}.resid_out" if int(n) and "stages" not in stem else f"{side}embed"


@every
def test_tracing_changes_nothing_and_every_tap_can_be_edited(config: Any) -> None:
    model = lively(config)
    asked = inputs(config)
    with torch.no_grad():
        with Trace(model) as trace:
            traced = model(**asked)
        assert torch.equal(model(**asked), traced)
        for key in trace:
            with Trace(model, {key: lambda x: x * torch.linspace(0.5, 2.0, x.shape[-1], dtype=x.dtype)}):
                assert torch.equal(model(**asked), traced) == is_idle(config, key), key
        with pytest.raises(KeyError, match=r"blocks\.9\.resid_in"), Trace(model, {"blocks.9.resid_in": abs}):
            model(**asked)


@every
def test_rows_of_weights_sum_to_one_and_nothing_hidden_is_read(config: Any) -> None:
    model, asked = lively(config), inputs(config)
    with torch.no_grad(), Trace(model, keep=("weights",)) as trace:
        model(**asked)
    for key in trace:
        weights = torch.stack(trace.steps(key), -2)  # a recurrent decoder makes a row at each step
        if getattr(getattr(config, "block", None), "sink", False):  # it takes its share of each row
            assert (weights >= 0).all() and (weights.sum(-1) < 1 - 1e-6).all()
        else:
            torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]), atol=1e-12, rtol=0)
        if config.causal and key.endswith(".attn.weights") and trace[key].ndim == 4 and "encoder" not in key:
            assert not trace[key].triu(1).any()
        if "mask" in asked and ("encoder" in key or "cross_attn" in key or trace[key].ndim == 2):
            hidden = ~asked["mask"].reshape(B, *[1] * (weights.ndim - 2), S)
            assert not weights.masked_select(hidden).any()


@every
def test_the_seed_alone_decides_and_json_keeps_the_config(config: Any) -> None:
    before = torch.get_rng_state()
    first, second, other = (registry.build(config, seed).state_dict() for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(first[name], second[name]) for name in first)
    random = [name for name in first if first[name].ndim > 1]
    assert random and not any(torch.equal(first[name], other[name]) for name in random)
    assert registry.from_dict(json.loads(json.dumps(registry.to_dict(config)))) == config


@every
def test_names_are_those_of_the_design_and_the_empty_model_has_them_without_memory(config: Any) -> None:
    empty, full = registry.build_empty(config), registry.build(config)
    assert all(parameter.is_meta for parameter in empty.parameters())
    shapes = {name: p.shape for name, p in full.named_parameters()}
    assert {name: p.shape for name, p in empty.named_parameters()} == shapes
    assert not list(full.buffers())  # `fill` knows parameters only
    for block in full.modules():
        if isinstance(block, Block):
            names = {name for name, _ in block.named_modules()}
            attention = {part for one in ("q", "k", "v", "o") for part in (f"attn.w_{one}", f"cross_attn.w_{one}")}
            here = {name for name in attention if name.startswith("attn") or block.cross_attn is not None}
            assert names & attention == here and "norm_1" in names
            assert ({"norm_2", "mlp"} <= names) == block.style.feed_forward
            assert ("norm_cross" in names) == (block.cross_attn is not None)
    if hasattr(config, "tied"):
        assert (full.unembed.weight is full.tok_emb.weight) == config.tied


@every
def test_every_parameter_gets_a_gradient(config: Any) -> None:
    model = lively(config)
    model(**inputs(config)).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and bool(parameter.grad.isfinite().all()), name
        assert is_idle(config, name) or bool(parameter.grad.abs().max() > 1e-12), name


@every
def test_an_untrained_model_guesses_blindly(config: Any) -> None:
    if 0 in (getattr(config, "n_class", 1), getattr(config, "head", "") != "none"):
        return  # its answer is a vector
    above = []
    for seed in range(6):
        model = registry.build(config, seed)
        with torch.no_grad():
            logits = model(**inputs(config, seed, batch=32, dtype=torch.float32))
        assert logits.dtype == torch.float32
        # Others than those that are read: a tied model begins by repeating what it reads.
        target = torch.randint(logits.shape[-1], logits.shape[:-1], generator=torch.Generator().manual_seed(99 + seed))
        above.append(nn.functional.cross_entropy(logits.flatten(0, -2), target.flatten()).item())
    # Where logits start with a variance of about 1, half of it is what the loss lies above the logarithm.
    most = 0.7 if registry.family_of(config).reads_by_its_encoder else 0.15
    assert -0.02 < sum(above) / len(above) - math.log(logits.shape[-1]) < most


@every
def test_later_tokens_are_hidden_where_the_config_says_so(config: Any) -> None:
    if not hasattr(config, "vocab_size"):
        assert config.causal is False  # it reads pictures and writes nothing
        return
    for model in (lively(config), lively(config).float()):
        asked = inputs(config, dtype=next(model.parameters()).dtype)
        name = "target_in" if "target_in" in asked else "ids"
        with torch.no_grad():
            before = model(**asked)
            if before.ndim < 3:
                assert config.causal is False  # one answer for the whole text
                return
            for t in range(1, T):
                after = model(**asked | {name: with_next(asked[name], t, config.vocab_size)})
                assert torch.equal(before[:, :t], after[:, :t]) == config.causal
                assert not torch.equal(before[:, t:], after[:, t:])


@every
def test_positions_are_what_the_config_says(config: Any) -> None:
    """Seen from the parameters, and from what the model does with one token repeated."""
    model = lively(config)
    own = [tuple(p.shape) for name, p in model.named_parameters() if "pos_emb" in name]
    if own:
        widths = config.d_model, registry.modern_options_of_model(config).d_embed
        assert config.positions == ("learned" if any(shape[-1] in widths for shape in own) else "relative")
        return
    ids = torch.full((1, T), 3)
    with torch.no_grad(), Trace(model) as trace:
        (
            model(ids, ids)
            if "target_in" in inspect.signature(model.forward).parameters
            else encoder_or_model(model)(ids)
        )
    embed = next(trace[key] for key in trace if key.endswith("embed"))[0]
    if not bool((embed == embed[0]).all()):
        assert config.positions == "sinusoidal"
        return
    if "blocks.0.attn.scores" not in trace:
        assert config.positions == "none"
        return
    q, scores = trace["blocks.0.attn.q"][0], trace["blocks.0.attn.scores"][0, :, -1]
    turned, by_distance = (not torch.allclose(x, x[:, :1].expand_as(x)) for x in (q, scores))
    assert config.positions == ("rotary" if turned else "alibi" if by_distance else "none")


# --- configs -------------------------------------------------------------------------------------------------------


MAY_BE_0 = {"n_segment", "n_class", "pad_id"}
KINDS = {name.split(":")[0]: config for name, config in reversed(EVERY.items())}  # one variant of each


@pytest.mark.parametrize("kind", KINDS)
def test_a_size_of_nothing_is_refused_by_its_name(kind: str) -> None:
    config = KINDS[kind]
    for field in (*dataclasses.fields(config), *(dataclasses.fields(Modern) if kind == "gpt" else ())):
        if field.type in (int, int | None):
            for size in (-1,) if field.name in MAY_BE_0 else (0, -1):
                with pytest.raises(ValueError, match=rf"{field.name}={size}\b"):
                    changed(config, **{field.name: size})


@pytest.mark.parametrize("kind", [kind for kind, config in KINDS.items() if type(getattr(config, "n_head", ())) is int])
def test_heads_share_the_width_evenly(kind: str) -> None:
    config = changed(KINDS[kind], **{"d_head": None} if kind in ("gpt", "t5") else {})
    with pytest.raises(ValueError, match="d_model=8 is not divisible by n_head=3"):
        dataclasses.replace(config, n_head=3)


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("gpt: untied", {"positions": "gps"}, "positions='gps' is none of none, learned"),
        ("gpt: positions rotary", {"n_head": 8}, "even d_head, got 1"),
        ("gpt: positions rotary", {"d_head": 3}, "even d_head, got 3"),
        ("gpt: positions alibi", {"slopes": (1.0,)}, "1 slopes do not match n_head=2"),
        ("gpt: untied", {"rotary": RotarySettings(factor=2.0)}, "factor=2.0.* needs positions='rotary', not 'learned'"),
        ("gpt: untied", {"n_kv_head": 3}, "n_head=2 is not divisible by n_kv_head=3"),
        ("gpt: tied, output bias", {"d_embed": 8}, "d_embed=8 needs tied=False"),
        ("rnn: gru, 1 layers, tied=False", {"cell": "elman"}, "cell='elman' is none of"),
        ("image_gpt: as published", {"vocab_size": 1}, "at least 2"),
        ("bert: masked", {"head": "hydra"}, "head='hydra' is none of"),
        ("bert: masked", {"pool": "max"}, "pool='max' is none of"),
        ("vit: with colors", {"patch_size": 4}, "image_size=6 is not divisible by patch_size=4"),
        ("multiscale: windows of two", {"patch_size": 3}, "image_size=16 is not divisible by patch_size=3"),
        ("multiscale: windows of two", {"window": 3}, "stage 0 has 8 tokens a side, no multiple of window=3"),
        ("multiscale: windows of two", {"n_head": (3, 4)}, "stage 0: the width 8 is not divisible by n_head=3"),
        ("multiscale: windows of two", {"n_head": (2,)}, "must name the same stages"),
        ("multiscale: windows of two", {"n_layer": (), "n_head": ()}, "at least one"),
        ("multiscale: windows of two", {"n_layer": (2, 0)}, "at least 1 in every stage"),
        ("multiscale: windows of two", {"image_size": 18, "window": 9}, "stage 0 has 9 tokens a side: 2 x 2 do not fi"),
        ("t5: tied", {"n_bucket": 6}, "n_bucket=6 is not divisible by 4"),
        ("t5: tied", {"n_bucket": 32, "max_distance": 16}, "max_distance=16 is not above half"),
        ("t5: tied", {"activation": "mish"}, "activation='mish' is none of"),
        ("seq2seq: gru, additive, both ways=True", {"cell": "elman"}, "cell='elman' is none of"),
        ("seq2seq: gru, additive, both ways=True", {"attention": "hard"}, "none of none, additive"),
        ("captioner: all patches", {"reads": "everything"}, "reads='everything' is none of patches, class"),
        ("captioner: all patches", {"patch_size": 4}, "image_size=6 is not divisible by patch_size=4"),
    ],
)
def test_impossible_configs_are_refused(name: str, change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        changed(EVERY[name], **change)


@pytest.mark.parametrize(
    ("of", "change", "words"),
    [
        (BlockStyle, {"norm": "batch"}, "norm='batch' is none of layer, rms, rms_plain"),
        (BlockStyle, {"activation": "elu"}, "activation='elu' is none of relu, gelu"),
        (BlockStyle, {"bias": "q"}, "bias='q' is none of True, False, 'qkv'"),
        (BlockStyle, {"qk_norm": 1}, "qk_norm=1 is none of True, False, 'gain'"),
        (BlockStyle, {"sink": "learned"}, "sink='learned' is none of True, False, 'zero'"),
        (BlockStyle, {"gate": "number"}, "gate='number' is none of True, False, 'head'"),
        (BlockStyle, {"eps": 0.0}, "eps=0.0 is not between 0 and 1"),
        (RotarySettings, {"base": 0.0}, "base=0.0 must be more than 0"),
        (RotarySettings, {"factor": -1.0}, "factor=-1.0 must be more than 0"),
        (RotarySettings, {"trained_length": 0}, "trained_length=0 must be at least 1"),
        (RotarySettings, {"slow": 4.0}, "slow=4.0 must be more than 0 and less than fast=4.0"),
        (registry.from_dict, {"values": {"kind": "oracle"}}, "no architecture here; there are gpt"),
        (registry.from_dict, {"values": {"kind": "gpt", "vocab_size": 5, "depth": 3}}, "no field depth"),
        (registry.from_dict, {"values": {"kind": "gpt", "vocab_size": 5, "block": {"bias": "kv"}}},
         "block.bias='kv' should be true or false"),
        (registry.build, {"config": object()}, "no registered config"),
    ],
)  # fmt: skip
def test_impossible_options_are_refused(of: Any, change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        of(**change)


@pytest.mark.parametrize("name", ["gpt: positions learned", "bert: masked", "image_gpt: as published"])
def test_more_tokens_than_positions(name: str) -> None:
    with pytest.raises(ValueError, match="9 tokens do not fit context_length=8"):
        registry.build(EVERY[name])(torch.zeros(1, 9, dtype=torch.long))


@pytest.mark.parametrize(
    ("name", "shape"),
    [("vit: with colors", (2, 5, 6)), ("multiscale: windows of two", (1, 15, 16)), ("captioner: post-norm", (1, 8, 8))],
)
def test_pictures_of_another_size_are_refused(name: str, shape: tuple[int, ...]) -> None:
    config, model = EVERY[name], registry.build(EVERY[name])
    size = (config.n_channel, config.image_size, config.image_size)
    with pytest.raises(ValueError, match=rf"\({', '.join(map(str, shape))}\) do not fit the model's \({size[0]}, "):
        getattr(model, "encode", model)(torch.zeros(1, *shape))


def test_a_kind_that_rooms_show_needs_no_reason_why_none_does() -> None:
    assert set(NO_ROOM_TEXTS) <= set(registry.CONFIGS) - {kind for room in ROOM_LINKS for kind in room.kinds}
