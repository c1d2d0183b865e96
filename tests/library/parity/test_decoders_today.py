"""Folders of today's decoders give what Hugging Face computes: logits, hidden states, maps, greedy tokens, the cache.

Every parameter is random, and so is every option that a config has: bases, scalings, windows, caps, widths of heads.
What each of them is worth is tested too: a model of ours with one of them wrong is caught.
"""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as t
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.generate.decode import generate
from core.inspect.numpy_reference.numpy_forward import numpy_forward
from core.models import pretrained, registry
from core.models.configs.modern import Modern
from core.models.gpt import GPT, GPTConfig
from core.models.pretrained import ImportRefused, load
from core.nn.positions import RotarySettings
from core.nn.tap import Trace
from tests.configs import changed
from tests.counts import in_turn

CLOSE = {"atol": 2e-5, "rtol": 0.0}
V, T, LAYERS = 37, 40, 3  # layers of nearly all
SIZES = {"vocab_size": V, "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": LAYERS,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64, "pad_token_id": 0,
         "bos_token_id": 1, "eos_token_id": 2}  # fmt: skip
WHOLE_HEADS = SIZES | {"num_key_value_heads": 4}


def rope(kind: str = "default", base: float = 10_000.0, **options: Any) -> dict[str, Any]:
    return {"rope_parameters": {"rope_type": kind, "rope_theta": base, **options}}


LLAMA_3 = rope("llama3", 1_000.0, factor=8.0, original_max_position_embeddings=32, low_freq_factor=1.0,
               high_freq_factor=4.0)  # fmt: skip
YARN = rope("yarn", 30.0, factor=4.0, original_max_position_embeddings=16, beta_fast=1.0, beta_slow=0.2)
LONG = rope("longrope", short_factor=[1.0, 1.5, 2.5], long_factor=[2.0, 3.0, 9.0], original_max_position_embeddings=48)
GEMMA_3 = {"sliding_window": 7, "query_pre_attn_scalar": 20, "head_dim": 8, "layer_types": None,
           "sliding_window_pattern": 2,
           "rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
                               "sliding_attention": {"rope_type": "default", "rope_theta": 100.0}}}  # fmt: skip
EXPERTS = {"num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 12, "decoder_sparse_step": 1}
FAMILIES: dict[str, tuple[Any, Any]] = {
    "Llama 2": (t.LlamaForCausalLM, t.LlamaConfig(**WHOLE_HEADS, rms_norm_eps=1e-3)),
    "Llama 3": (t.LlamaForCausalLM, t.LlamaConfig(**SIZES, head_dim=16, tie_word_embeddings=True, **LLAMA_3)),
    "Llama, linear": (t.LlamaForCausalLM, t.LlamaConfig(**SIZES, **rope("linear", 500.0, factor=4.0))),
    "Llama with biases": (t.LlamaForCausalLM, t.LlamaConfig(**SIZES, attention_bias=True, mlp_bias=True)),
    "SmolLM": (t.LlamaForCausalLM, t.LlamaConfig(
        **SIZES | {"num_attention_heads": 3, "num_key_value_heads": 1}, tie_word_embeddings=True, **rope(base=1e5))),
    "Mistral": (t.MistralForCausalLM, t.MistralConfig(**SIZES, sliding_window=9, head_dim=10)),
    "Mistral without a window": (t.MistralForCausalLM, t.MistralConfig(**SIZES, sliding_window=None)),
    "Qwen2": (t.Qwen2ForCausalLM, t.Qwen2Config(**SIZES)),
    "Qwen2.5, YaRN, windows": (t.Qwen2ForCausalLM, t.Qwen2Config(
        **SIZES | {"num_attention_heads": 2, "num_key_value_heads": 1}, use_sliding_window=True, sliding_window=6,
        max_window_layers=1, **YARN)),
    "Qwen3": (t.Qwen3ForCausalLM, t.Qwen3Config(**SIZES, head_dim=10, rms_norm_eps=1e-4)),
    "Gemma": (t.GemmaForCausalLM, t.GemmaConfig(**SIZES, head_dim=8)),
    "Gemma 2": (t.Gemma2ForCausalLM, t.Gemma2Config(
        **SIZES, head_dim=8, sliding_window=5, query_pre_attn_scalar=11, attn_logit_softcapping=2.0,
        final_logit_softcapping=3.0)),
    "Gemma 3": (t.Gemma3ForCausalLM, t.Gemma3TextConfig(**SIZES, **GEMMA_3)),
    "Phi": (t.PhiForCausalLM, t.PhiConfig(
        **SIZES | {"num_attention_heads": 3, "num_key_value_heads": 3}, partial_rotary_factor=0.5)),
    "Phi-3": (t.Phi3ForCausalLM, t.Phi3Config(**SIZES, sliding_window=8)),
    "Phi-4-mini, LongRoPE": (t.Phi3ForCausalLM, t.Phi3Config(
        **SIZES | {"max_position_embeddings": 96}, original_max_position_embeddings=48, sliding_window=None, **LONG)),
    "Pythia": (t.GPTNeoXForCausalLM, t.GPTNeoXConfig(
        **{name: size for name, size in SIZES.items() if name != "num_key_value_heads"},
        rotary_pct=0.67, rotary_emb_base=100)),
    "GPT-NeoX one after the other": (t.GPTNeoXForCausalLM, t.GPTNeoXConfig(
        **{name: size for name, size in SIZES.items() if name != "num_key_value_heads"}, rotary_pct=1.0,
        use_parallel_residual=False, hidden_act="gelu_new")),
    "OLMo 2": (t.Olmo2ForCausalLM, t.Olmo2Config(**SIZES)),
    "OLMo 3": (t.Olmo3ForCausalLM, t.Olmo3Config(
        **SIZES | {"num_hidden_layers": 4, "num_attention_heads": 2, "num_key_value_heads": 1}, sliding_window=6,
        rms_norm_eps=1e-4, rope_parameters={
            "full_attention": YARN["rope_parameters"],
            "sliding_attention": {"rope_type": "default", "rope_theta": 200.0}})),
    "SmolLM3": (t.SmolLM3ForCausalLM, t.SmolLM3Config(
        **SIZES | {"num_hidden_layers": 4}, tie_word_embeddings=True, **rope(base=500.0))),
    "SmolLM3, other layers, windows": (t.SmolLM3ForCausalLM, t.SmolLM3Config(
        **SIZES, no_rope_layers=[0, 1, 0], use_sliding_window=True, sliding_window=7, tie_word_embeddings=False,
        **rope("linear", 500.0, factor=3.0))),
    "Mixtral": (t.MixtralForCausalLM, t.MixtralConfig(
        **SIZES, num_local_experts=4, num_experts_per_tok=2, sliding_window=11)),
    "Qwen1.5-MoE": (t.Qwen2MoeForCausalLM, t.Qwen2MoeConfig(
        **SIZES, **EXPERTS, shared_expert_intermediate_size=20, norm_topk_prob=False)),
    "Qwen3-MoE": (t.Qwen3MoeForCausalLM, t.Qwen3MoeConfig(**SIZES, **EXPERTS, head_dim=10, norm_topk_prob=True)),
}  # fmt: skip
EYES = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": 16,
        "patch_size": 8}  # fmt: skip
FAMILIES["Gemma 3 that sees"] = (t.Gemma3ForConditionalGeneration, t.Gemma3Config(
    text_config=SIZES | GEMMA_3, vision_config=EYES, mm_tokens_per_image=4, image_token_index=36))  # fmt: skip
GPT2 = t.GPT2Config(
    vocab_size=V, n_positions=64, n_embd=24, n_layer=LAYERS, n_head=4, pad_token_id=0, num_labels=5,
    activation_function="relu",
)  # fmt: skip


def judging(name: str) -> tuple[Any, Any]:
    """The class of this family that judges texts, with as many labels as no other size has."""
    kind, config = FAMILIES[name]
    kind = kind.__name__.replace("Gemma3ForCausal", "Gemma3TextForCausal").replace("ForCausalLM", "").replace(
        "ForConditionalGeneration", "")  # fmt: skip
    return getattr(t, f"{kind}ForSequenceClassification"), type(config).from_dict(config.to_dict() | {"num_labels": 5})


JUDGES = {"GPT-2 that judges": (t.GPT2ForSequenceClassification, GPT2)} | {
    f"{name} that judges": judging(name)
    for name in ("Llama 3", "Mistral", "Qwen2.5, YaRN, windows", "Qwen3", "Gemma", "Gemma 2", "Gemma 3",
                 "Gemma 3 that sees", "Phi", "Phi-3", "Pythia", "OLMo 2", "OLMo 3", "SmolLM3", "Mixtral",
                 "Qwen1.5-MoE", "Qwen3-MoE")
}  # fmt: skip
WRITERS = tuple(FAMILIES)
FAMILIES |= JUDGES
every_family = pytest.mark.parametrize("name", FAMILIES)
families_in_turn = pytest.mark.parametrize("name", in_turn(FAMILIES, 4))
# As it was published, which is all that it is here for: positions that turn so slowly hardly matter in a text so short.
FAMILIES |= {
    "OLMo 3, one base": (t.Olmo3ForCausalLM, t.Olmo3Config(
        **SIZES, rope_theta=500_000.0, rope_scaling={
            "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "attention_factor": 1.2,
            "beta_fast": 32.0, "beta_slow": 1.0})),
}  # fmt: skip


def lively(name: str) -> Any:
    """Theirs, eager, with all parameters random."""
    kind, config = FAMILIES[name]
    config._attn_implementation = "eager"
    model = kind(config)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            is_norm = "norm" in parameter_name or ".ln_" in parameter_name
            gain = is_norm and parameter_name.endswith("weight") and "Gemma" not in kind.__name__
            parameter.normal_(1.0 if gain else 0.0, 0.25, generator=generator)
    return model.eval().requires_grad_(False)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Their models by name, and the folder in which each is."""
    made: dict[str, tuple[Any, Path]] = {}

    def of(name: str) -> tuple[Any, Path]:
        if name not in made:
            model, folder = lively(name), tmp_path_factory.mktemp("model")
            model.save_pretrained(folder)
            made[name] = model, folder
        return made[name]

    return of


def said(model: GPT, texts: Tensor) -> Tensor:
    """The logits of the tokens, or of each text's labels."""
    return model.verdict(texts) if model.config.modern.n_label else model(texts)


def ids(n_token: int = T) -> Tensor:
    return torch.randint(3, V, (2, n_token), generator=torch.Generator().manual_seed(2))


@every_family
def test_logits_hidden_states_and_attention_maps(folders: Any, name: str) -> None:
    theirs, folder = folders(name)
    ours = load(folder).model
    with torch.no_grad():
        expected = theirs(ids(), output_hidden_states=True, output_attentions=True)
        with Trace(ours) as trace:
            logits = said(ours, ids())
    assert expected.logits.std() > 0.3  # the bar means something
    torch.testing.assert_close(logits, expected.logits, **CLOSE)
    n_layer = ours.config.n_layer
    states = [trace["embed"], *(trace[f"blocks.{n}.resid_out"] for n in range(n_layer - 1)), trace["final"]]
    for mine, other in zip(states, expected.hidden_states, strict=True):
        torch.testing.assert_close(mine, other, **CLOSE)
    for n, other in enumerate(expected.attentions):
        torch.testing.assert_close(trace[f"blocks.{n}.attn.weights"], other, **CLOSE)


@every_family
def test_the_second_pass(folders: Any, name: str) -> None:
    ours = load(folders(name)[1]).model.double()
    weights = {one: parameter.numpy() for one, parameter in ours.named_parameters()}
    again = numpy_forward(registry.to_dict(ours.config), weights, ids=ids()[0].tolist())
    with Trace(ours) as trace:
        ours(ids()[:1])
    assert set(again) == set(trace)
    for key, one in again.items():
        torch.testing.assert_close(torch.from_numpy(one), trace[key].view(one.shape), atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("name", WRITERS)
def test_greedy_tokens_with_the_cache(folders: Any, name: str) -> None:
    theirs, folder = folders(name)
    prompt = ids(12)
    expected = theirs.generate(prompt, max_new_tokens=16, do_sample=False, pad_token_id=0, eos_token_id=None,
                               attention_mask=torch.ones_like(prompt))  # fmt: skip
    written = torch.stack([step.token for step in generate(load(folder).model, prompt, 16, greedy=True)], 1)
    assert torch.equal(written, expected[:, 12:])
    assert len(set(written.flatten().tolist())) > 1


def spoiled(config: GPTConfig) -> Iterator[GPTConfig]:
    """The same model with one of its options wrong, for each that it has: weights of the same names and shapes."""
    modern, style = config.modern, config.block
    for name in ("embed_scale", "scale", "logit_softcap"):
        value = getattr(modern, name)
        if value != getattr(Modern(), name):
            yield changed(config, **{name: value * 1.05})
    if modern.window is not None:
        yield changed(config, window=modern.window + 1)
        layers = range(config.n_layer) if modern.windowed is None else modern.windowed
        yield changed(config, windowed=tuple(layers)[1:])
    if modern.unrotated is not None:
        yield changed(config, unrotated=None)
        yield changed(config, unrotated=tuple((layer + 1) % config.n_layer for layer in modern.unrotated))
    for name in ("rotary", "window_rotary"):
        if getattr(modern, name) is not None:
            yield from (changed(config, **{name: one}) for one in slower(getattr(modern, name)))
    if modern.experts is not None:
        yield changed(config, experts=dataclasses.replace(modern.experts, n_active=1))
        turned = not modern.experts.renormalize
        yield changed(config, experts=dataclasses.replace(modern.experts, renormalize=turned))
    swapped = {"swiglu": "geglu", "geglu": "swiglu", "gelu": "gelu_tanh", "gelu_tanh": "gelu", "relu": "gelu"}
    wrong: list[dict[str, Any]] = [{"activation": swapped[style.activation]}, {"eps": 0.1}]
    wrong += [{"softcap": style.softcap * 1.05}] if style.softcap else []
    wrong += [{"parallel": False}] if style.parallel is True else [] if style.parallel else [{"residual": False}]
    yield from (dataclasses.replace(config, block=dataclasses.replace(style, **one)) for one in wrong)


def slower(rotary: RotarySettings) -> Iterator[RotarySettings]:
    for field in dataclasses.fields(RotarySettings):
        value = getattr(rotary, field.name)
        if field.name == "by_pair" and value:
            yield dataclasses.replace(rotary, by_pair=False)
        elif field.name == "factors" and value:
            yield dataclasses.replace(rotary, factors=None, long_factors=None, trained_length=None)
        elif isinstance(value, float) and (
            field.name in ("base", "gain") or value != getattr(RotarySettings(), field.name)
        ):
            yield dataclasses.replace(rotary, **{field.name: value / 2 if field.name == "share" else value * 2.5})


@families_in_turn
def test_each_option_matters(folders: Any, name: str) -> None:
    """So that parity cannot hold by chance: with any option of the model wrong, it does not."""
    theirs, folder = folders(name)
    ours, expected = load(folder).model, theirs(ids()).logits
    weights = dict(ours.named_parameters())
    tried = 0
    for config in spoiled(ours.config):
        wrong: GPT = registry.build_empty(config)
        registry.fill_weights(wrong, weights)
        apart = (said(wrong, ids()) - expected).abs().max()
        assert apart > 1e-4, f"{config} is as good"
        tried += 1
    assert tried >= 3


@families_in_turn
def test_each_tensor_matters(folders: Any, name: str) -> None:
    """A tensor that goes to the wrong place, or is turned wrongly, would not go unseen."""
    theirs, folder = folders(name)
    ours, expected = load(folder).model, theirs(ids()).logits
    for one, parameter in ours.named_parameters():
        if "experts." in one:  # no token may be sent there
            continue
        # A bias of the keys adds the same to all scores of a query, which the softmax takes away, unless it is turned.
        if one.endswith("w_k.bias") and ours.config.positions != "rotary":
            continue
        kept = parameter.clone()
        parameter += 0.05 * torch.randn(kept.shape, generator=torch.Generator().manual_seed(3))
        assert (said(ours, ids()) - expected).abs().max() > 1e-4, one
        parameter.copy_(kept)


@pytest.mark.parametrize("name", JUDGES)
def test_texts_are_judged_by_their_last_token_that_is_no_padding(folders: Any, name: str) -> None:
    theirs, folder = folders(name)
    found = load(folder)
    lengths = torch.tensor([T, 5])
    mask = torch.arange(T) < lengths[:, None]
    padded = ids().where(mask, 0)
    with torch.no_grad():
        expected = theirs(padded, attention_mask=mask.long()).logits
        torch.testing.assert_close(found.model.verdict(padded, mask), expected, **CLOSE)
        torch.testing.assert_close(found.model(padded[1:, :5])[:, -1], expected[1:], **CLOSE)
        assert (found.model.verdict(padded) - expected)[1].abs().max() > 1e-4  # that of the padding is another
    assert registry.family_of(found.model).predicts(found.config) == "nothing"
    assert found.config.modern.n_label == expected.shape[1] == 5


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_half_precision_in_several_files(tmp_path: Path, dtype: torch.dtype) -> None:
    theirs = lively("Qwen3").to(dtype)
    theirs.save_pretrained(tmp_path, max_shard_size="8kB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 2
    wide = t.Qwen3ForCausalLM.from_pretrained(tmp_path, dtype=torch.float32).eval()
    torch.testing.assert_close(load(tmp_path).model(ids()), wide(ids()).logits, **CLOSE)


@pytest.mark.parametrize("name", ["SmolLM", "Gemma 2", "SmolLM3"])
@pytest.mark.parametrize("kept", ["model.embed_tokens.weight", "lm_head.weight"])
def test_one_of_two_that_are_tied_is_enough(folders: Any, tmp_path: Path, name: str, kept: str) -> None:
    theirs, folder = folders(name)
    weights = load_file(folder / "model.safetensors")
    table = weights.pop("model.embed_tokens.weight")
    save_file(weights | {kept: table}, tmp_path / "model.safetensors", {"format": "pt"})
    (tmp_path / "config.json").write_text((folder / "config.json").read_text())
    assert load(tmp_path).config.tied
    right = type(theirs).from_pretrained(tmp_path).eval()
    torch.testing.assert_close(right(ids()).logits, theirs(ids()).logits)
    torch.testing.assert_close(said(load(tmp_path).model, ids()), theirs(ids()).logits, **CLOSE)


OLD_SPELLING: dict[str, tuple[str, dict[str, Any]]] = {
    # as the configs of Llama-3.2, Qwen2.5 with YaRN, gemma-3-1b, gemma-2-2b, pythia, phi-2 and Phi-3-mini have it
    "Llama 3": ("Llama 3", {"rope_theta": 1_000.0, "rope_scaling": {
        "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32,
        "rope_type": "llama3"}}),
    "linear": ("Llama, linear", {"rope_theta": 500.0, "rope_scaling": {"type": "linear", "factor": 4.0}}),
    "YaRN": ("Qwen2.5, YaRN, windows", {"rope_theta": 30.0, "layer_types": None, "rope_scaling": {
        "type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "beta_fast": 1.0, "beta_slow": 0.2}}),
    "Gemma 2": ("Gemma 2", {"rope_theta": 10_000.0, "layer_types": None}),
    "Gemma 3": ("Gemma 3", {"rope_theta": 1e6, "rope_local_base_freq": 100.0, "layer_types": None,
                            "sliding_window_pattern": 2, "rope_scaling": {"rope_type": "linear", "factor": 8.0}}),
    "Pythia": ("Pythia", {"rotary_pct": 0.67, "rotary_emb_base": 100}),
    "Phi": ("Phi", {"rope_theta": 10_000.0, "partial_rotary_factor": 0.5, "rope_scaling": None}),
    "OLMo 3": ("OLMo 3, one base", {"rope_theta": 500_000.0, "layer_types": None, "rope_scaling": {
        "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "attention_factor": 1.2,
        "beta_fast": 32.0, "beta_slow": 1.0}}),
    "SmolLM3": ("SmolLM3", {"rope_theta": 500.0, "rope_scaling": None, "no_rope_layers": None}),
    "LongRoPE": ("Phi-4-mini, LongRoPE", {"rope_theta": 10_000.0, "rope_scaling": {
        "type": "longrope", "short_factor": [1.0, 1.5, 2.5], "long_factor": [2.0, 3.0, 9.0]}}),
}  # fmt: skip


@pytest.mark.parametrize(("name", "old"), OLD_SPELLING.values(), ids=OLD_SPELLING)
def test_configs_as_they_were_published(folders: Any, tmp_path: Path, name: str, old: dict[str, Any]) -> None:
    _, folder = folders(name)
    config = json.loads((folder / "config.json").read_text())
    del config["rope_parameters"]
    unset = {key for key, value in old.items() if value is None and key != "rope_scaling"}
    written = {key: value for key, value in (config | old).items() if key not in unset}
    (tmp_path / "config.json").write_text(json.dumps(written))
    save_file(load_file(folder / "model.safetensors"), tmp_path / "model.safetensors")
    assert load(tmp_path).config == load(folder).config


@pytest.mark.parametrize("n_token", [48, 49, 60])
def test_longrope_takes_its_long_factors_for_a_long_text(folders: Any, n_token: int) -> None:
    """From the first token beyond the 48 of before on, and for all tokens; the second pass does, too."""
    theirs, folder = folders("Phi-4-mini, LongRoPE")
    ours, text = load(folder).model, torch.arange(n_token)[None] % 30 + 3
    assert ours.config.modern.rotary.long_factors and ours.config.context_length == 48
    torch.testing.assert_close(said(ours, text), theirs(text).logits, **CLOSE)
    weights = {one: parameter.numpy() for one, parameter in ours.double().named_parameters()}
    again = numpy_forward(registry.to_dict(ours.config), weights, ids=text[0].tolist())["logits"]
    torch.testing.assert_close(torch.from_numpy(again), ours(text)[0], atol=1e-9, rtol=1e-9)


def test_a_gemma_that_sees_as_it_was_published() -> None:
    """The config of gemma-3-4b-it says little of its texts; the rest is as usual there."""
    text = {"hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34,
            "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024}  # fmt: skip
    theirs = {"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3", "text_config": text}
    whole = json.loads(t.Gemma3TextConfig(**text).to_json_string(use_diff=False))
    ours = pretrained.FAMILIES["gemma3"].plan(theirs, {}).fields
    assert registry.from_dict(ours) == registry.from_dict(pretrained.FAMILIES["gemma3_text"].plan(whole, {}).fields)
    assert (ours["n_head"], ours["n_kv_head"], ours["d_head"], ours["vocab_size"]) == (8, 4, 256, 262_208)


@pytest.mark.parametrize("name", ["Gemma 3 that sees", "Gemma 3 that sees that judges", "SmolLM3 that judges"])
def test_from_memory(folders: Any, name: str) -> None:
    """There the names of one that sees come in another order."""
    theirs, folder = folders(name)
    values = json.loads((folder / "config.json").read_text())
    again = pretrained.model_from_state_dict(values, theirs.state_dict())
    torch.testing.assert_close(said(again, ids()), theirs(ids()).logits, **CLOSE)


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "layers that are no list": ("SmolLM3", {"no_rope_layers": "every fourth"}, "no_rope_layers"),
    "too few layers": ("SmolLM3", {"no_rope_layers": [1, 0]}, "no_rope_layers"),
    "an interval that is none": ("SmolLM3", {"no_rope_layer_interval": 0}, "no_rope_layer_interval"),
    "no texts": ("Gemma 3 that sees", {"text_config": None}, "text_config"),
    "another number of labels": ("Qwen3 that judges", {"id2label": {"0": "good", "1": "bad"}}, "names 2 answers"),
    "labels that are not there": (
        "Qwen3", {"architectures": ["Qwen3ForSequenceClassification"]}, r"score\.weight"),
    "labels that nobody asked for": ("Qwen3 that judges", {"architectures": ["Qwen3ForCausalLM"]}, "lm_head|score"),
    "positions that grow with the text": ("Llama 2", rope("dynamic", factor=2.0), "dynamic"),
    "YaRN without whole pairs": (
        "Llama 2", rope("yarn", factor=2.0, original_max_position_embeddings=32, truncate=False), "truncate"),
    "a scaling without its factor": ("Llama 2", rope("linear"), "factor"),
    "biases of attention alone": ("Llama 2", {"attention_bias": True}, "biases"),
    "no width": ("Llama 2", {"hidden_size": None}, "hidden_size"),
    "layers of a third kind": ("Gemma 2", {"layer_types": ["chunked_attention"] * LAYERS}, "layer_types"),
    "a Gemma that reads both ways": ("Gemma 3", {"use_bidirectional_attention": True}, "bidirectional"),
    "blocks without experts": ("Qwen1.5-MoE", {"mlp_only_layers": [1]}, "mlp_only_layers"),
    "too many experts": ("Mixtral", {"num_local_experts": 10**9}, "experts"),
    "more active than there are": ("Mixtral", {"num_experts_per_tok": 5}, "n_active"),
    "another nonlinearity": ("Llama 2", {"hidden_act": "relu6"}, "hidden_act"),
    "scalar that is none": ("Gemma 2", {"query_pre_attn_scalar": 0}, "query_pre_attn_scalar"),
    "heads that are no number": ("Phi-3", {"num_attention_heads": "4"}, "heads"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "word"), REFUSED.values(), ids=REFUSED)
def test_what_is_computed_otherwise_is_refused(
    folders: Any, tmp_path: Path, name: str, changes: dict[str, Any], word: str
) -> None:
    _, folder = folders(name)
    config = json.loads((folder / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | changes))
    save_file(load_file(folder / "model.safetensors"), tmp_path / "model.safetensors")
    with pytest.raises(ImportRefused, match=word):
        load(tmp_path)
