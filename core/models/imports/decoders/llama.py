"""Llama and its closest relatives, Mistral, Qwen2 and Qwen3, as our GPT. (SmolLM is a Llama.)

How they differ from their nearest relatives is listed in assets/labels/models.md, by `model_type`: `llama`, `mistral`,
`qwen2`, `qwen3`.

Source: huggingface/transformers, models/llama, mistral, qwen2 and qwen3; Touvron et al. 2023 (2302.13971); Jiang et al.
2023 (2310.06825).
"""

from collections.abc import Iterable
from typing import Any

from core.data.localization.labels import module_labels
from core.models.imports.decoders import rope_config
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorMapping,
    activation_setting,
    check_supported_settings,
    required_setting,
)
from core.models.imports.weights_file import ImportRefused, is_count, shorten_name

LABELS = module_labels(__name__)

GATED = {"silu": "swiglu", "swish": "swiglu", "gelu_pytorch_tanh": "geglu", "gelu_new": "geglu", "gelu": "geglu_exact"}
OUTSIDE = (
    TensorMapping("embed_tokens.weight", "tok_emb.weight"),
    TensorMapping("norm.{p}", "norm.{p}"),
    TensorMapping("lm_head.{p}", "unembed.{p}"),  # needed if it is not tied
)
ATTENTION = tuple(
    TensorMapping(f"layers.{{n}}.self_attn.{theirs}.{{p}}", f"blocks.{{n}}.attn.{ours}.{{p}}")
    for theirs, ours in (
        ("q_proj", "w_q"), ("k_proj", "w_k"), ("v_proj", "w_v"), ("o_proj", "w_o"), ("q_norm", "norm_q"),
        ("k_norm", "norm_k"),
    )
)  # fmt: skip
FEED_FORWARD = tuple(
    TensorMapping(f"layers.{{n}}.mlp.{theirs}_proj.{{p}}", f"blocks.{{n}}.mlp.w_{ours}.{{p}}")
    for theirs, ours in (("gate", "gate"), ("up", "in"), ("down", "out"))
)
NORMS = (
    TensorMapping("layers.{n}.input_layernorm.{p}", "blocks.{n}.norm_1.{p}"),
    TensorMapping("layers.{n}.post_attention_layernorm.{p}", "blocks.{n}.norm_2.{p}"),
)
BODY = (*OUTSIDE, *ATTENTION, *FEED_FORWARD, *NORMS)
# Tables of angles that old files carry along.
ANGLES = r"(layers\.\d+\.self_attn\.)?rotary_emb\.(inv_freq|cos_cached|sin_cached)"


def llama_fields(
    theirs: Config,
    *,
    shares: bool = True,
    act: str = "hidden_act",
    tied: bool = False,
    turning: rope_config.RopeConfigFormat | rope_config.LayerRopeConfigFormat = rope_config.PLAIN,
    **block: object,
) -> dict[str, Any]:
    """Return the fields that all of these families spell the same way.

    Args:
        shares: whether the config must say how many heads of keys there are; else they are as many as heads.
        act: how they call the nonlinearity.
        tied: whether the output layer is the embedding where the config doesn't say.
        turning: how they spell rotary positions.
        block: what of the blocks is not a Llama's.

    Raises:
        ImportRefused: if a size is missing, or an option changes what is computed and ours does not have it.
    """
    check_supported_settings(theirs, {"pretraining_tp": 1})
    n_kv_head = required_setting(theirs, "num_key_value_heads") if shares else theirs.get("num_key_value_heads")
    style = {"norm": "rms", "bias": False, "eps": required_setting(theirs, "rms_norm_eps")} | block
    return {
        "kind": "gpt",
        "vocab_size": required_setting(theirs, "vocab_size"),
        "context_length": rope_config.trained_length(theirs, turning),
        "n_layer": required_setting(theirs, "num_hidden_layers"),
        "n_head": required_setting(theirs, "num_attention_heads"),
        "n_kv_head": required_setting(theirs, "num_attention_heads") if n_kv_head is None else n_kv_head,
        "d_model": required_setting(theirs, "hidden_size"),
        "d_head": theirs.get("head_dim"),
        "d_ff": required_setting(theirs, "intermediate_size"),
        "positions": "rotary",
        "rotary": rope_config.rotary_fields(theirs, turning),
        "tied": theirs.get("tie_word_embeddings", tied),
        "block": {"activation": activation_setting(theirs, act, "silu", GATED)} | style,
    }


def window_fields(theirs: Config, default: Iterable[int] = (), name: str = "sliding_window") -> dict[str, object]:
    """Return the layers that have a window, and its size in tokens.

    default: these layers do where the config does not list the kinds of its layers.
    """
    window, kinds, n_layer = theirs.get(name), theirs.get("layer_types"), required_setting(theirs, "num_hidden_layers")
    if window is None or not is_count(n_layer) or n_layer > 1_000:
        return {}
    if kinds is None:
        layers = [layer for layer in default if layer < n_layer]
    elif isinstance(kinds, list) and set(map(str, kinds)) <= {"full_attention", "sliding_attention"}:
        layers = [layer for layer, kind in enumerate(kinds) if kind == "sliding_attention"]
    else:
        raise ImportRefused(LABELS("layer_types", kinds=shorten_name(str(kinds), 60)))
    return {"window": window, "windowed": layers} if layers else {}


def _llama(theirs: Config, shapes: Shapes) -> ImportPlan:
    bias = theirs.get("attention_bias", False)
    if theirs.get("mlp_bias", False) != bias:
        raise ImportRefused(LABELS["half_biased"])
    return ImportPlan(llama_fields(theirs, shares=False, bias=bias), BODY)


def _mistral(theirs: Config, shapes: Shapes) -> ImportPlan:
    return ImportPlan(llama_fields(theirs) | window_fields({"sliding_window": 4096, **theirs}, range(1_000)), BODY)


def qwen_window_fields(theirs: Config) -> dict[str, object]:
    """Return a Qwen's windows: in layers from `max_window_layers` on, if they are switched on."""
    first = theirs.get("max_window_layers", 28)
    if not theirs.get("use_sliding_window", False) or not is_count(first):
        return {}
    return window_fields(theirs, range(first, 1_000))


def _qwen2(theirs: Config, shapes: Shapes) -> ImportPlan:
    return ImportPlan(llama_fields(theirs, bias="qkv") | qwen_window_fields(theirs), BODY)


def _qwen3(theirs: Config, shapes: Shapes) -> ImportPlan:
    check_supported_settings(theirs, {"attention_bias": False})
    return ImportPlan(
        llama_fields(theirs, qk_norm="gain") | {"d_head": theirs.get("head_dim", 128)} | qwen_window_fields(theirs),
        BODY,
    )


LLAMA = ImportFamily(_llama, prefix="model.", ignored=ANGLES)
MISTRAL = ImportFamily(_mistral, prefix="model.", ignored=ANGLES)
QWEN2 = ImportFamily(_qwen2, prefix="model.", ignored=ANGLES)
QWEN3 = ImportFamily(_qwen3, prefix="model.", ignored=ANGLES)
