"""Formulas of parameters and work, compared with real modules: counted, run under a flop counter, and traced."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from core.generate.cache import CachedModel
from core.inspect.costs import model_cost, parameter_count_formulas, parameters
from core.models import registry
from core.models.bert import BERTConfig
from core.models.configs.modern import Modern
from core.models.configs.presets import PRESETS, Preset
from core.models.gpt import GPTConfig
from core.models.images.vit import ViTConfig
from core.models.original_transformer import TransformerConfig
from core.models.t5 import T5Config
from core.nn.block import BlockStyle
from core.nn.experts import ExpertSettings
from core.nn.output_heads import OUTPUT_HEADS, OutputHeadOptions
from core.nn.tap import Trace
from core.train.estimate import count_parameters
from tests.configs import gpt

few = settings(max_examples=25)
small = st.integers(1, 3)


@st.composite
def styles(draw: st.DrawFn) -> BlockStyle:
    norm_first, feed_forward = draw(st.booleans()), draw(st.booleans())
    return BlockStyle(
        norm=draw(st.sampled_from(["layer", "rms", "rms_plain"])),
        norm_first=norm_first,
        norm_out=draw(st.booleans()),
        parallel=draw(st.sampled_from([False, True, "one norm"])) if norm_first and feed_forward else False,
        activation=draw(st.sampled_from(["relu", "gelu", "swiglu", "geglu"])),
        bias=draw(st.sampled_from([True, False, "qkv"])),
        qk_norm=draw(st.sampled_from([True, False, "gain", "width"])),
        feed_forward=feed_forward,
        sink=draw(st.sampled_from([False, True, "zero"])),
        gate=draw(st.sampled_from([False, True, "head"])),
    )


@st.composite
def configs(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from([GPTConfig, BERTConfig, T5Config, TransformerConfig, ViTConfig]))
    n_head = draw(small)
    sizes: dict[str, Any] = {
        "n_layer": draw(small),
        "n_head": n_head,
        "d_model": 2 * n_head * draw(small),
        "d_ff": draw(st.sampled_from([None, 5, 12])),
    }
    if kind is not ViTConfig:
        sizes["vocab_size"] = draw(st.integers(2, 30))
    if kind is not T5Config:
        sizes["block"] = draw(styles())
    if kind is GPTConfig:
        sizes["positions"] = draw(st.sampled_from(["none", "learned", "sinusoidal", "rotary", "alibi", "relative"]))
        sizes |= {"embed_norm": draw(st.booleans()), "output_bias": draw(st.booleans())}
        sizes["d_embed"] = draw(st.sampled_from([None, 3]))
        sizes["tied"] = sizes["d_embed"] is None and draw(st.booleans())
        sizes |= {"n_kv_head": draw(st.sampled_from([None, 1, n_head])), "d_head": draw(st.sampled_from([None, 4]))}
        if sizes["block"].feed_forward and draw(st.booleans()):
            n_expert = draw(small)
            sizes["experts"] = ExpertSettings(n_expert=n_expert, n_active=draw(st.integers(1, n_expert)),
                                       d_shared=draw(st.sampled_from([None, 7])))  # fmt: skip
    if kind is BERTConfig:
        sizes |= {
            "head": draw(st.sampled_from(OUTPUT_HEADS)),
            "n_label": draw(small),
            "n_segment": draw(st.integers(0, 2)),
        }
        sizes |= {"d_embed": draw(st.sampled_from([None, 3])), "shared": draw(st.booleans())}
        sizes["positions"] = draw(st.sampled_from(["learned", "rotary"]))
        sizes["pad_id"] = None if sizes["positions"] == "rotary" else draw(st.sampled_from([None, 0]))
        plain = not sizes["block"].norm_first or sizes["block"].parallel or sizes["shared"]
        sizes["first_norm"] = bool(plain) or draw(st.booleans())
        sizes["head_style"] = OutputHeadOptions(
            bias=draw(st.booleans()), norm=draw(st.booleans()), tied=draw(st.booleans()),
            pooling=draw(st.sampled_from(["first", "mean"])),
        )  # fmt: skip
    if kind is T5Config:
        sizes |= {"d_head": draw(st.sampled_from([None, 3])), "n_decoder_layer": draw(st.sampled_from([None, 1, 4]))}
        sizes |= {"activation": draw(st.sampled_from(["relu", "geglu"])), "tied": draw(st.booleans()), "n_bucket": 8}
    if kind is TransformerConfig:
        sizes["tied"] = draw(st.booleans())
    if kind is ViTConfig:
        sizes |= {"image_size": 6, "patch_size": draw(st.sampled_from([2, 3])), "n_class": draw(st.integers(0, 3))}
    return gpt(**sizes) if kind is GPTConfig else kind(**sizes)


def inputs(config: Any, n_token: int, n_source: int) -> tuple[torch.Tensor, ...]:
    """Return inputs for the model; zeros are enough."""
    if isinstance(config, ViTConfig):
        return (torch.zeros(1, config.n_channel, config.image_size, config.image_size),)
    ids = torch.zeros(1, n_token, dtype=torch.long)
    if isinstance(config, T5Config | TransformerConfig):
        return torch.zeros(1, n_source, dtype=torch.long), ids
    return (ids,)


@few
@given(configs())
def test_every_formula_counts_the_real_module(config: Any) -> None:
    found = parameters.count_config_parameters(config)
    assert found.total == sum(one.numel() for one in registry.build_empty(config).parameters())
    assert "other" not in {term.name for term in found.terms}
    for term in found.terms:
        assert term.predicted == term.count == sum(group.count for group in term.tensors), term
        assert parameter_count_formulas.evaluate_formula(term.numbers.replace(",", ""), {}) == term.count
        assert bool(term.note) == (term.count == 0)
        assert all(group.count == group.n_tensor * math.prod(group.shape) for group in term.tensors)


@few
@given(configs(), st.integers(1, 6), st.integers(1, 5))
def test_multiply_adds_are_those_that_torch_counts(config: Any, n_token: int, n_source: int) -> None:
    model = registry.build(config)
    with FlopCounterMode(display=False) as forward:
        out = model(*inputs(config, n_token, n_source))
    assert forward.get_total_flops() == 2 * model_cost.forward_cost(config, n_token, n_source).total
    with FlopCounterMode(display=False) as backward:
        out.sum().backward()
    trained = forward.get_total_flops() + backward.get_total_flops()
    assert trained == 2 * model_cost.training_step_cost(config, n_token, n_source).total


@few
@given(configs(), st.integers(1, 6), st.integers(1, 5))
def test_activations_are_the_tensors_that_a_trace_records(config: Any, n_token: int, n_source: int) -> None:
    model = registry.build(config)
    with torch.no_grad(), Trace(model) as trace:
        model(*inputs(config, n_token, n_source))
    once: dict[int, int] = {}
    for one in trace.values():  # some are others, seen anew: a slice, or the same tensor under a second name
        once[one.data_ptr()] = max(one.numel(), once.get(one.data_ptr(), 0))
    assert sum(once.values()) == model_cost._count_activation_numbers(config, n_token, n_source)


@pytest.mark.parametrize("n_kv_head", [None, 1])
def test_a_token_with_and_without_the_cache(n_kv_head: int | None) -> None:
    config = GPTConfig(
        vocab_size=11, n_layer=2, n_head=2, d_model=8, context_length=16, modern=Modern(n_kv_head=n_kv_head)
    )
    model = registry.build(config).requires_grad_(False)
    text = [1, 2, 3, 4, 5]
    anew = model_cost.next_token_cost(config, 5, cached=False)
    assert anew.total == model_cost.forward_cost(config, 5).total
    kept = CachedModel(model, cached=True)
    kept.next_logits([text[:4]])
    with FlopCounterMode(display=False) as counted:
        kept.next_logits([text])
    assert counted.get_total_flops() == 2 * model_cost.next_token_cost(config, 5, cached=True).total
    assert model_cost.count_cache_numbers(config, 5) == 2 * 2 * (8 if n_kv_head is None else 4) * 5


def test_the_decoder_of_an_encoder_decoder_keeps_the_sources_keys_too() -> None:
    config = T5Config(vocab_size=11, n_layer=2, n_decoder_layer=3, n_head=2, d_model=8, d_head=5)
    anew = model_cost.next_token_cost(config, 4, 7, cached=False)
    model = registry.build(config)
    memory = model.encode(torch.zeros(1, 7, dtype=torch.long))
    with FlopCounterMode(display=False) as counted:
        model.decode(torch.zeros(1, 4, dtype=torch.long), memory)
    assert counted.get_total_flops() == 2 * anew.total
    saved = anew.total - model_cost.next_token_cost(config, 4, 7, cached=True).total
    one = 4 * 8 * 10 + 2 * 4 * 10 + 2 * 8 * 10 + 2 * 7 * 10 + 2 * 8 * 32  # of a token in a layer
    assert saved == 3 * (3 * one + 2 * 7 * 8 * 10) + 3 * 8 * 11
    assert model_cost.count_cache_numbers(config, 4, 7) == 2 * 3 * 10 * (4 + 7)


def test_an_encoder_writes_nothing() -> None:
    config = BERTConfig(vocab_size=9)
    assert model_cost.count_cache_numbers(config, 8) == 0
    with pytest.raises(ValueError, match="BERT writes no tokens"):
        model_cost.next_token_cost(config, 8, cached=True)


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_a_preset_has_its_published_size_and_that_of_the_real_module(preset: Preset) -> None:
    n_parameter = sum(one.numel() for one in registry.build_empty(preset.config).parameters())
    found = parameters.count_config_parameters(preset.config)
    assert found.total == n_parameter
    values = {letter: value for letter, (_, value) in parameter_count_formulas.size_letters(preset.config).items()}
    closed = sum(
        parameter_count_formulas.evaluate_formula(one, values)
        for one in parameter_count_formulas.parameter_formulas(preset.config).values()
    )
    assert closed == n_parameter
    if preset.published is not None:
        assert abs(n_parameter / preset.published - 1) < 0.01
    assert preset.source


def test_what_the_notes_of_presets_say() -> None:
    exact = {"gpt-2-small": 124_439_808, "gpt-2-medium": 354_823_168, "gpt-2-large": 774_030_080,
             "gpt-2-xl": 1_557_611_200, "bert-base": 109_514_298, "bert-large": 335_174_458, "t5-small": 60_506_624,
             "t5-base": 222_903_552, "t5-large": 737_668_096, "t5-3b": 2_851_598_336, "t5-11b": 11_307_321_344,
             "t5-v1-1-base": 247_577_856, "vit-b-16": 86_567_656, "vit-l-16": 304_326_632}  # fmt: skip
    assert {name: parameters.count_config_parameters(PRESETS[name].config).total for name in exact} == exact
    small = parameters.count_config_parameters(PRESETS["gpt-2-small"].config)
    assert (small.term("feed-forward").count, small.term("attention").count) == (56_669_184, 28_348_416)
    groups = small.term("attention").tensors
    assert [one.name for one in groups][:2] == ["blocks.*.attn.w_q.weight", "blocks.*.attn.w_q.bias"]
    assert {one.n_tensor for one in groups} == {12}
    assert len({one.context for one in PRESETS.values()}) > 3 and all(one.context > 1 for one in PRESETS.values())
    assert [name for name, one in PRESETS.items() if one.published is None] == ["transformer-base"]
    base, big = (
        parameters.count_config_parameters(PRESETS[f"transformer-{size}"].config).total for size in ("base", "big")
    )
    assert 0.025 < 1 - base / 65e6 < 0.035 and abs(big / 213e6 - 1) < 0.01
    large = parameters.count_config_parameters(PRESETS["bert-large"].config)
    pooler = 1024**2 + 1024
    assert large.total - large.term("head").count + pooler == 335_141_888
    assert round(100 * (340e6 / large.total - 1), 1) == 1.4
    assert parameters.count_config_parameters(PRESETS["a-lecture-s-gpt"].config).total == 8_271_696
    assert len(PRESETS) == len({one.title for one in PRESETS.values()}) == 31


@pytest.mark.parametrize(
    ("formula", "words"),
    [("D - 2", "other signs"), ("D · (2", "never closed"), ("X", "no size"), ("2 2", "no formula"), ("", "no formula")],
)
def test_a_formula_that_is_none_is_refused(formula: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parameter_count_formulas.evaluate_formula(formula, {"D": 3})


def test_a_description_takes_no_memory() -> None:
    config = GPTConfig(vocab_size=300_000, n_layer=96, n_head=1, d_model=12_288, block=BlockStyle(norm="rms"))
    assert parameters.count_config_parameters(config).total == count_parameters(registry.build_empty(config)) > 1.7e11


def test_an_unknown_architecture_is_counted_without_formulas() -> None:
    found = parameters.count_module_parameters(nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4)))
    assert found.total == 3 * 4 + 4 + 8
    assert {term.name: term.formula for term in found.terms} == {"other": ""}


@pytest.mark.parametrize(
    ("config", "term", "words"),
    [
        (GPTConfig(vocab_size=9, positions="none"), "positions", "This model has no positions."),
        (GPTConfig(vocab_size=9, positions="sinusoidal"), "positions", "Sinusoidal positions are computed"),
        (GPTConfig(vocab_size=9, positions="rotary"), "positions", "Rotary positions turn"),
        (GPTConfig(vocab_size=9, positions="alibi"), "positions", "ALiBi subtracts"),
        (BERTConfig(vocab_size=9, n_segment=0), "segments", "no segments"),
        (BERTConfig(vocab_size=9, head="none"), "head", "no head"),
        (GPTConfig(vocab_size=9, block=BlockStyle(feed_forward=False)), "feed-forward", "attention only"),
        (GPTConfig(vocab_size=9, block=BlockStyle(norm="rms_plain")), "norms", "without a learned gain"),
        (GPTConfig(vocab_size=9), "output_layer", "the embedding matrix, transposed"),
        (ViTConfig(n_class=0), "output_layer", "No head"),
    ],
)
def test_why_a_part_has_no_parameters(config: Any, term: str, words: str) -> None:
    assert words in parameters.count_config_parameters(config).term(term).note


def test_costs_by_name_are_those_of_the_parts() -> None:
    config = GPTConfig(vocab_size=11, n_layer=2, n_head=2, d_model=8)
    assert model_cost.model_costs(config, 1000, 6, batch=3, n_byte=2) == {
        "forward": model_cost.forward_cost(config, 6).total,
        "training_step": 3 * model_cost.training_step_cost(config, 6).total,
        "next_cached": model_cost.next_token_cost(config, 6, cached=True).total,
        "next_anew": model_cost.next_token_cost(config, 6, cached=False).total,
        "weights": 2_000, "gradients": 2_000, "moments": 4_000,
        "activations": 2 * 3 * model_cost._count_activation_numbers(config, 6),
        "cache": 2 * model_cost.count_cache_numbers(config, 6),
    }  # fmt: skip
    read_once = model_cost.model_costs(BERTConfig(vocab_size=9), 1, 2, 3, 4)
    assert not {"next_cached", "next_anew", "cache"} & {*read_once}
