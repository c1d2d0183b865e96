"""Differences between a model and the block that lesson 7 and the lecture notes teach."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

from torch import nn

from core.data.localization.labels import module_labels
from core.models.configs.config_and_input_checks import ModelConfig
from core.models.registry import find_registered_family, modern_options_of_model
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block, BlockStyle
from core.nn.experts import ExpertSettings
from core.nn.positions import RelativeBias, RotarySettings

LABELS = module_labels(__name__)

_NORMS = MappingProxyType({"layer": "", "rms": LABELS["norm.rms"], "rms_plain": LABELS["norm.rms_plain"]})
_ACTIVATIONS = MappingProxyType(
    {
        "gelu": "",
        "gelu_tanh": "",
        "quick_gelu": LABELS["activation.quick_gelu"],
        "relu": LABELS["activation.relu"],
        "relu2": LABELS["activation.relu2"],
        "swiglu": LABELS["activation.swiglu"],
        "geglu": LABELS["activation.geglu"],
        "geglu_exact": LABELS["activation.geglu"],
    }
)
_SIDE_BY_SIDE: Mapping[object, str] = MappingProxyType(
    {False: "", True: LABELS["side_by_side"], "one norm": LABELS["side_by_side.one_norm"]}
)
_QK_NORMS: Mapping[object, str] = MappingProxyType(
    {False: "", True: LABELS["qk_norm"], "gain": LABELS["qk_norm"], "width": LABELS["qk_norm.width"]}
)
_SINKS: Mapping[object, str] = MappingProxyType({False: "", True: LABELS["sink"], "zero": LABELS["sink.zero"]})
_GATES: Mapping[object, str] = MappingProxyType({False: "", True: LABELS["gate"], "head": LABELS["gate.head"]})
_POSITIONS = MappingProxyType(
    {
        "learned": "",
        "sinusoidal": "",
        "none": LABELS["positions.none"],
        "alibi": LABELS["positions.alibi"],
        "relative": LABELS["positions.relative"],
    }
)


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
        "" if style.residual else LABELS["no_residual"],
        "" if style.feed_forward else LABELS["no_feed_forward"],
        _ACTIVATIONS[style.activation] if style.feed_forward else "",
        {True: "", False: LABELS["no_biases"], "qkv": LABELS["qkv_biases"]}[style.bias],
        _QK_NORMS[style.qk_norm],
        "" if block.attn.n_kv_head == block.attn.n_head else LABELS["shared_keys"],
        "" if block.attn.d_head * block.attn.n_head == block.attn.d_model else LABELS["head_width"],
        "" if _is_scaled(block.attn) else LABELS["unscaled"],
        "" if style.softcap is None else LABELS("softcap", softcap=style.softcap),
        _SINKS[style.sink],
        _GATES[style.gate],
        _turning(cast(Any, model).config) if scheme == "rotary" else _POSITIONS[scheme],
        describe_windows(cast(Any, model).config) if modern.window else "",
        "" if modern.window_rotary is None else LABELS["window_rotary"],
        _experts_in_words(modern.experts),
        "" if modern.embed_scale == 1 else LABELS("embed_scale", embed_scale=modern.embed_scale),
        "" if isinstance(getattr(model, "embed_norm", nn.Identity()), nn.Identity) else LABELS["embed_norm"],
        LABELS["shifted"] if block.shifted else "",
        LABELS["encoder_and_decoder"] if crosses else "",
        "" if crosses or _is_causal(model) else LABELS["no_mask"],
        "" if modern.logit_softcap is None else LABELS("logit_softcap", logit_softcap=modern.logit_softcap),
    )
    return tuple(filter(None, differences))


def describe_windows(config: Any) -> str:
    """Name the layers that have an attention window, and its size; "" for a model without windows."""
    window = modern_options_of_model(config).window
    n_layer = 0 if window is None else int(config.n_layer)
    n_windowed = sum(config.has_window(layer) for layer in range(n_layer))
    if not n_windowed:
        return ""
    key = "window" if n_windowed == n_layer else "window_in_some"
    return LABELS(key, window=window, n_windowed=n_windowed, n_layer=n_layer)


def _where_norms_are(style: BlockStyle) -> str:
    if style.norm_out:
        return LABELS["norms.both"] if style.norm_first else LABELS["norms.after_each"]
    return "" if style.norm_first else LABELS["norms.post"]


def _turning(config: ModelConfig) -> str:
    """Describe rotary positions, and how they deviate from those published."""
    rotary, still = (
        modern_options_of_model(config).rotary or RotarySettings(),
        modern_options_of_model(config).unrotated,
    )
    said = LABELS["positions.rotary"]
    if rotary.share != 1:
        said = LABELS("rotary_share", positions=said, share=rotary.share)
    if rotary.base != RotarySettings().base:
        said = LABELS("rotary_base", positions=said, base=rotary.base)
    if rotary.factor != 1 or rotary.factors is not None:
        said = LABELS("rotary_slowed", positions=said)
    if still:
        said = LABELS("rotary_not_everywhere", positions=said, n_still=len(still), n_layer=config.n_layer)
    return said


def _is_scaled(attention: MultiHeadAttention) -> bool:
    """Return whether dot products are divided by the root of the head's width."""
    return attention.scale is None or abs(attention.scale - attention.d_head**-0.5) < 1e-6


def _experts_in_words(experts: ExpertSettings | None) -> str:
    if experts is None:
        return ""
    key = "experts" if experts.d_shared is None else "experts_and_shared"
    return LABELS(key, n_expert=experts.n_expert, n_active=experts.n_active)


def _positions(model: nn.Module) -> str:
    """Return the position scheme: a GPT's from its config, other models' from their modules."""
    if any(isinstance(part, RelativeBias) for part in model.modules()):
        return "relative"
    return "learned" if find_registered_family(model) is None else str(cast(Any, model).config.positions)


def _is_causal(model: nn.Module) -> bool:
    mask = getattr(model, "mask", None)
    return mask is not None and not bool(mask(2)[0, 1])
