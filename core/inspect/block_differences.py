"""Differences between a model and the block that lesson 7 and the lecture notes teach."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

from torch import nn

from core.models.configs.config_and_input_checks import ModelConfig
from core.models.registry import find_registered_family, modern_options_of_model
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block, BlockStyle
from core.nn.experts import ExpertSettings
from core.nn.positions import RelativeBias, RotarySettings

_NORMS = MappingProxyType({"layer": "", "rms": "RMSNorm", "rms_plain": "RMSNorm without gain"})
_ACTIVATIONS = MappingProxyType(
    {"gelu": "", "gelu_tanh": "", "quick_gelu": "GELU by a sigmoid", "relu": "ReLU", "relu2": "squared ReLU",
     "swiglu": "SwiGLU", "geglu": "GEGLU", "geglu_exact": "GEGLU"}
)  # fmt: skip
_SIDE_BY_SIDE: Mapping[object, str] = MappingProxyType(
    {False: "", True: "attention and feed-forward side by side", "one norm": "attention and feed-forward side by side "
     "behind one norm"}
)  # fmt: skip
_QK_NORMS: Mapping[object, str] = MappingProxyType(
    {False: "", True: "normalized queries and keys", "gain": "normalized queries and keys", "width": "queries and keys "
     "normalized over all heads together"}
)  # fmt: skip
_SINKS: Mapping[object, str] = MappingProxyType(
    {False: "", True: "heads with a learned sink", "zero": "heads with a sink of 0"}
)
_GATES: Mapping[object, str] = MappingProxyType(
    {False: "", True: "gates on all that heads have read", "head": "one gate on what each head has read"}
)
_POSITIONS = MappingProxyType(
    {"learned": "", "sinusoidal": "", "none": "no positions", "rotary": "rotary positions", "alibi": "ALiBi for "
     "positions", "relative": "relative positions"}
)  # fmt: skip


def differences_from_lesson_block(model: nn.Module) -> tuple[str, ...] | None:
    """Describe each difference in a few words; () if there are none, None for a model without such blocks.

    The block of lesson 7 has LayerNorm with gain and bias before attention and before feed-forward, residual
    connections, biases, GELU, scores divided by the root of d_head, a causal mask, and positions added to the
    embeddings.

    Source: Radford et al. 2019 (GPT-2), section 2.3.
    """
    blocks = [part for part in model.modules() if isinstance(part, Block)]
    if not blocks:
        return None
    block, style = blocks[0], blocks[0].style
    crosses = any(part.cross_attn is not None for part in blocks)
    scheme, modern = _positions(model), modern_options_of_model(model)
    differences = (
        _where_norms_are(style),
        _SIDE_BY_SIDE[style.parallel],
        _NORMS[style.norm],
        "" if style.residual else "no residual path",
        "" if style.feed_forward else "no feed-forward",
        _ACTIVATIONS[style.activation] if style.feed_forward else "",
        {True: "", False: "no biases", "qkv": "biases of queries, keys and values alone"}[style.bias],
        _QK_NORMS[style.qk_norm],
        "" if block.attn.n_kv_head == block.attn.n_head else "keys and values shared by several heads",
        ""
        if block.attn.d_head * block.attn.n_head == block.attn.d_model
        else "heads that are not d_model / n_head wide",
        "" if _is_scaled(block.attn) else "scores that are not divided by √d_head",
        "" if style.softcap is None else f"scores bounded to ±{style.softcap:g}",
        _SINKS[style.sink],
        _GATES[style.gate],
        _POSITIONS[scheme] + (_turning(cast(Any, model).config) if scheme == "rotary" else ""),
        describe_windows(cast(Any, model).config) if modern.window else "",
        "" if modern.window_rotary is None else "positions that turn at other speeds there",
        _experts_in_words(modern.experts),
        "" if modern.embed_scale == 1 else f"embeddings times {modern.embed_scale:.4g}",
        "" if isinstance(getattr(model, "embed_norm", nn.Identity()), nn.Identity) else "a norm after the embedding",
        "a feed-forward that also reads the token before" if block.shifted else "",
        "no causal mask in the encoder, and cross-attention in the decoder" if crosses else "",
        "" if crosses or _is_causal(model) else "no causal mask",
        "" if modern.logit_softcap is None else f"logits bounded to ±{modern.logit_softcap:g}",
    )
    return tuple(filter(None, differences))


def describe_windows(config: Any) -> str:
    """Name the layers that have an attention window, and its size; "" for a model without windows."""
    window = modern_options_of_model(config).window
    n_layer = 0 if window is None else int(config.n_layer)
    n_windowed = sum(config.has_window(layer) for layer in range(n_layer))
    which = "each layer" if n_windowed == n_layer else f"{n_windowed} of {n_layer} layers"
    return f"a window of {window:,} tokens in {which}" if n_windowed else ""


def _where_norms_are(style: BlockStyle) -> str:
    if style.norm_out:
        return "norms before and after each part" if style.norm_first else "norms after each part and none before"
    return "" if style.norm_first else "norms after the addition (post-norm)"


def _turning(config: ModelConfig) -> str:
    """Describe deviations from rotary positions as published."""
    rotary, still = (
        modern_options_of_model(config).rotary or RotarySettings(),
        modern_options_of_model(config).unrotated,
    )
    share = "" if rotary.share == 1 else f" for {rotary.share:.0%} of each head"
    base = "" if rotary.base == RotarySettings().base else f" with base {rotary.base:,.0f}"
    slowed = "" if rotary.factor == 1 and rotary.factors is None else " slowed for longer texts"
    return share + base + slowed + (f" (none in {len(still)} of {config.n_layer} layers)" if still else "")


def _is_scaled(attention: MultiHeadAttention) -> bool:
    """Return whether dot products are divided by the root of the head's width."""
    return attention.scale is None or abs(attention.scale - attention.d_head**-0.5) < 1e-6


def _experts_in_words(experts: ExpertSettings | None) -> str:
    if experts is None:
        return ""
    shared = "" if experts.d_shared is None else " and a shared one"
    return f"{experts.n_expert} experts in place of a feed-forward ({experts.n_active}{shared} for each token)"


def _positions(model: nn.Module) -> str:
    """Return the position scheme: a GPT's from its config, other models' from their modules."""
    if any(isinstance(part, RelativeBias) for part in model.modules()):
        return "relative"
    return "learned" if find_registered_family(model) is None else str(cast(Any, model).config.positions)


def _is_causal(model: nn.Module) -> bool:
    mask = getattr(model, "mask", None)
    return mask is not None and not bool(mask(2)[0, 1])
