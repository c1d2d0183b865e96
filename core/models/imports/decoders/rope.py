"""Rotary positions as Hugging Face writes them into a config, in both spellings, become our `Rotary`.

Old: `rope_theta` and `rope_scaling`. New: `rope_parameters`, of all layers or of each kind of layer.

Source: huggingface/transformers, modeling_rope_utils.py.
"""

import math
from typing import Any

from core.models.imports.tensor_plan import Config, check_number, need
from core.models.imports.weights_file import ImportRefused, shown

_LENGTHS = ("max_position_embeddings", "original_max_position_embeddings")
# Names that say how positions are scaled, and what is read of each.
_KNOWN = {
    "default": (),
    "linear": ("factor",),
    "llama3": ("factor", "original_max_position_embeddings", "low_freq_factor", "high_freq_factor"),
    "yarn": ("factor",),
    "longrope": ("short_factor",),
    "su": ("short_factor",),
}


def rotary(theirs: Config, layers: str = "full_attention", base: str = "rope_theta", default: float = 1e4) -> Config:
    """The values of a `Rotary` as JSON has them.

    Args:
        layers: the kind of layers that is asked about, where kinds differ.
        base, default: how the old spelling calls the base for these layers, and what it is where nothing is said.

    Raises:
        ImportRefused: if positions are scaled in a way that ours are not.
    """
    said = _said(theirs, layers, base, default)
    check_number(said, "factor", "attention_factor", "mscale", "mscale_all_dim", *_LENGTHS)
    check_number(theirs, *_LENGTHS)
    kind = said.get("rope_type", said.get("type", "default"))
    if not isinstance(kind, str) or kind not in _KNOWN:
        known = ", ".join(name for name in _KNOWN if name != "su")
        raise ImportRefused(f"rotary positions of the kind {shown(repr(kind), 40)} are none of {known}")
    if missing := [name for name in _KNOWN[kind] if said.get(name) is None]:
        raise ImportRefused(f"rotary positions of the kind {kind!r} need {', '.join(missing)}")
    share = said.get("partial_rotary_factor", theirs.get("partial_rotary_factor", theirs.get("rotary_pct", 1.0)))
    return {"base": said.get("rope_theta", default), "share": share} | _scaling(kind, said, theirs)


def trained_length(theirs: Config) -> Any:
    """Tokens that a model reads as published: LongRoPE's shorter factors hold up to the length before scaling."""
    said = _said(theirs, "full_attention", "rope_theta", 1e4)
    longest = need(theirs, "max_position_embeddings")
    return _before(said, theirs) if said.get("short_factor") is not None else longest


def _said(theirs: Config, layers: str, base: str, default: float) -> dict[str, Any]:
    """What the config says of these layers, in the new spelling."""
    new = theirs.get("rope_parameters")
    if isinstance(new, dict):
        inner = new.get(layers, new)
        return dict(inner) if isinstance(inner, dict) else {}
    old = theirs.get("rope_scaling")
    # In the old spelling only the layers that read everything are scaled.
    scaled = dict(old) if isinstance(old, dict) and base != "rope_local_base_freq" else {}
    return scaled | {"rope_theta": theirs.get(base, default)}


def _scaling(kind: str, said: Config, theirs: Config) -> dict[str, Any]:
    if kind == "linear":
        return {"factor": said["factor"]}
    if kind == "llama3":
        return {
            "factor": said["factor"],
            "trained_length": said["original_max_position_embeddings"],
            "slow": said["low_freq_factor"],
            "fast": said["high_freq_factor"],
        }
    if kind == "yarn":
        if said.get("truncate") is False:
            raise ImportRefused("YaRN without whole pairs (truncate=False) is not supported")
        return {
            "factor": said["factor"],
            "trained_length": _before(said, theirs),
            "slow": said.get("beta_slow") or 1.0,
            "fast": said.get("beta_fast") or 32.0,
            "by_pair": True,
            "gain": _gain(said),
        }
    if kind in ("longrope", "su"):
        return {"factors": said["short_factor"], "gain": _long_gain(said, theirs)}
    return {}


def _before(said: Config, theirs: Config) -> Any:
    """Tokens of the texts before positions were scaled."""
    name = "original_max_position_embeddings"
    return said.get(name) or theirs.get(name) or need(theirs, "max_position_embeddings")


def _gain(said: Config) -> float:
    """What YaRN multiplies queries and keys with."""

    def of(scale: float) -> float:
        return 0.1 * scale * math.log(said["factor"]) + 1.0 if said["factor"] > 1 else 1.0

    if said.get("attention_factor") is not None:
        return float(said["attention_factor"])
    if said.get("mscale") and said.get("mscale_all_dim"):
        return of(said["mscale"]) / of(said["mscale_all_dim"])
    return of(1.0)


def _long_gain(said: Config, theirs: Config) -> float:
    """What LongRoPE multiplies queries and keys with."""
    if said.get("attention_factor") is not None:
        return float(said["attention_factor"])
    before = _before(said, theirs)
    factor = need(theirs, "max_position_embeddings") / before
    return math.sqrt(1 + math.log(factor) / math.log(before)) if factor > 1 < before else 1.0
