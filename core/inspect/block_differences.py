"""What of a model differs from the block that lesson 7 and the lecture notes teach."""

from types import MappingProxyType
from typing import Any

from torch import nn

from core.nn.block import Block
from core.nn.positions import RelativeBias

_NORMS = MappingProxyType({"layer": "", "rms": "RMSNorm", "rms_plain": "RMSNorm without gain"})
_ACTIVATIONS = MappingProxyType(
    {"gelu": "", "gelu_tanh": "", "quick_gelu": "GELU by a sigmoid", "relu": "ReLU", "relu2": "squared ReLU",
     "swiglu": "SwiGLU", "geglu": "GEGLU"}
)  # fmt: skip
_POSITIONS = MappingProxyType(
    {"learned": "", "sinusoidal": "", "none": "no positions", "rotary": "rotary positions", "alibi": "ALiBi for "
     "positions", "relative": "relative positions"}
)  # fmt: skip


def differences(model: nn.Module) -> tuple[str, ...] | None:
    """Each difference in a few words, none for a model of exactly that block; None for one without such blocks.

    The block of lesson 7: LayerNorm with gain and bias, before attention and before feed-forward; residual paths;
    biases; GELU; scores divided by the root of d_head; a causal mask; positions added to the embeddings.

    Source: Radford et al. 2019 (GPT-2), section 2.3.
    """
    blocks = [part for part in model.modules() if isinstance(part, Block)]
    if not blocks:
        return None
    block, style = blocks[0], blocks[0].style
    crosses = any(part.cross_attn is not None for part in blocks)
    config: Any = getattr(model, "config", None)
    differences = (
        "" if style.norm_first else "norms after the addition (post-norm)",
        _NORMS[style.norm],
        "" if style.residual else "no residual path",
        "" if style.feed_forward else "no feed-forward",
        _ACTIVATIONS[style.activation] if style.feed_forward else "",
        {True: "", False: "no biases", "qkv": "biases of queries, keys and values alone"}[style.bias],
        "normalized queries and keys" if style.qk_norm else "",
        "" if block.attn.n_kv_head == block.attn.n_head else "keys and values shared by several heads",
        ""
        if block.attn.d_head * block.attn.n_head == block.attn.d_model
        else "heads that are not d_model / n_head wide",
        "" if block.attn.scale is None else "scores that are not divided by √d_head",
        _POSITIONS[_positions(model, config)],
        "" if isinstance(getattr(model, "embed_norm", nn.Identity()), nn.Identity) else "a norm after the embedding",
        "a feed-forward that also reads the token before" if block.shifted else "",
        "no causal mask in the encoder, and cross-attention in the decoder" if crosses else "",
        "" if crosses or _is_causal(model) else "no causal mask",
    )
    return tuple(filter(None, differences))


def _positions(model: nn.Module, config: Any) -> str:
    """The scheme of the positions: of a GPT by its config; in the others a table of biases, or what is added."""
    if any(isinstance(part, RelativeBias) for part in model.modules()):
        return "relative"
    return str(getattr(config, "positions", "learned"))


def _is_causal(model: nn.Module) -> bool:
    mask: Any = getattr(model, "mask", None)
    return mask is not None and not bool(mask(2)[0, 1])
