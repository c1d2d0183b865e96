"""Check of whether the browser's engine supports all options of a model's config (assets/widgets/engine/forward.js).

Options that the engine doesn't know must have their default value. So a model that uses a new option of `core.models`
is computed by the server until the engine supports it.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

from core.models.registry import family_of

_ANY_VALUE = None  # the engine supports all values of this option; otherwise only those in the tuple
_SIZES = dict.fromkeys(("vocab_size", "context_length", "n_layer", "n_head", "d_model", "d_ff"), _ANY_VALUE)
_BLOCK = {
    **dict.fromkeys(("norm", "norm_first", "residual", "activation", "bias", "feed_forward", "eps"), _ANY_VALUE),
    "qk_norm": (True, False, "gain"),
}
_ROTARY = dict.fromkeys(("base", "factor", "trained_length", "slow", "fast"), _ANY_VALUE)
# The fields of each kind of model that the engine reads; fields that are configs themselves have their own mapping.
_SUPPORTED_FIELDS: Mapping[str, Mapping[str, object]] = {
    "gpt": {
        **_SIZES,
        **dict.fromkeys(("positions", "causal", "tied"), _ANY_VALUE),
        "block": _BLOCK,
        "modern": {
            **dict.fromkeys(("n_kv_head", "d_head", "d_embed", "slopes", "embed_norm", "token_shift"), _ANY_VALUE),
            "output_bias": _ANY_VALUE,
            "rotary": _ROTARY,
        },
    },
    "bert": {
        **_SIZES,
        "n_segment": _ANY_VALUE,
        "pad_id": _ANY_VALUE,
        "n_label": _ANY_VALUE,
        "head": ("masked", "sequence", "tokens", "none"),
        "pool": ("tanh", "relu"),
        "block": _BLOCK,
    },
    "vit": {
        **_SIZES,
        **dict.fromkeys(("image_size", "patch_size", "n_channel", "n_class"), _ANY_VALUE),
        "block": _BLOCK,
    },
}


def engine_supports(config: object) -> bool:
    """Return whether the engine supports the kind and the options of a config of `core.models.registry.CONFIGS`."""
    kind = family_of(config).kind
    return kind in _SUPPORTED_FIELDS and _knows(config, _SUPPORTED_FIELDS[kind])


def _knows(config: Any, known: Mapping[str, Any]) -> bool:
    for field in fields(config):
        value = getattr(config, field.name)
        if field.name not in known:
            if value != _usual(field):
                return False
        elif is_dataclass(value):
            if not _knows(value, known[field.name]):
                return False
        elif isinstance(known[field.name], tuple) and value not in known[field.name]:
            return False
    return True


def _usual(field: Field[object]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()
