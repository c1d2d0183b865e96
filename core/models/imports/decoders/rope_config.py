"""Rotary positions as Hugging Face writes them into a config, in any spelling, become our `RotarySettings`.

Old: `rope_theta` and `rope_scaling`. New: `rope_parameters`, of all layers or of each kind of layer. Files mix the two,
and each family has its own rule for which one counts. `RopeConfigFormat` holds that rule, as transformers 5 applies it.

Source: huggingface/transformers, modeling_rope_utils.py and configuration_<family>.py, `convert_rope_params_to_dict`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.data.localization.labels import module_labels
from core.models.imports.tensor_plan import Config, check_number, required_setting
from core.models.imports.weights_file import ImportRefused, shorten_name

LABELS = module_labels(__name__)

# Kinds of scaling, and what the config has to say for each. None of the values may be null, but YaRN's factor.
_KNOWN: dict[str, tuple[str, ...]] = {
    "default": (),
    "linear": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor"),
    "yarn": ("factor",),
    "longrope": ("short_factor", "long_factor"),
}
_BEFORE = "original_max_position_embeddings"
_NUMBERS = ("rope_theta", "factor", "attention_factor", "mscale", "mscale_all_dim", "beta_fast", "beta_slow", _BEFORE)


@dataclass(frozen=True)
class RopeConfigFormat:
    """The names that the configs of one family use for rotary positions."""

    base: float = 1e4  # base, base_name: the base where the file says none, and its name at the top of the file
    base_name: str = "rope_theta"
    # share, share_name: the share of each head that turns, likewise; None: the family turns whole heads
    share: float | None = None
    share_name: str = "partial_rotary_factor"
    # names of kinds of scaling that this family alone has -> the kind that is meant
    kinds: Mapping[str, str] = field(default_factory=dict)
    known: tuple[str, ...] = ()  # the kinds of scaling that this family has; (): all
    # the tokens before scaling where the top of the file doesn't say them; None: what the table says
    before: int | None = None

    def said(self, theirs: Config) -> dict[str, Any]:
        """Return the config's values for all layers: `rope_scaling`, or `rope_parameters` if that is empty.

        Raises ImportRefused if a table is none, or has a table for each kind of layer.
        """
        old, new = _table(theirs, "rope_scaling"), _table(theirs, "rope_parameters")
        name = "rope_scaling" if old else "rope_parameters"
        said = dict(old or new or {})
        if inner := [key for key, value in said.items() if isinstance(value, dict)]:
            raise ImportRefused(
                LABELS("table_of_its_own", name=name, kinds=shorten_name(", ".join(map(str, inner)), 60))
            )
        said.setdefault("rope_theta", theirs.get(self.base_name, self.base))
        if self.share is not None:
            said.setdefault("partial_rotary_factor", theirs.get(self.share_name, self.share))
        elif "partial_rotary_factor" in theirs:
            said.setdefault("partial_rotary_factor", theirs["partial_rotary_factor"])
        kind = _kind(said)
        said["rope_type"] = self.kinds.get(kind, kind) if isinstance(kind, str) else kind
        top = theirs.get(_BEFORE, self.before)
        said[_BEFORE] = top if top is not None else said.get(_BEFORE, theirs.get("max_position_embeddings"))
        return said


@dataclass(frozen=True)
class LayerRopeConfigFormat:
    """The same for a family whose kinds of layers turn differently. The file may have a table for each kind."""

    kind: str  # "full_attention" or "sliding_attention", the layers that are asked about
    # base, base_name: the base of these layers where the file says none, and its name at the top of the file
    base: float
    base_name: str
    scaled: bool = True  # whether `rope_scaling`, the old spelling, is for these layers
    share: None = None
    known: tuple[str, ...] = ()

    def said(self, theirs: Config) -> dict[str, Any]:
        """Return the config's values for these layers. Raises ImportRefused if a table is missing or isn't a table."""
        old, new = _table(theirs, "rope_scaling"), _table(theirs, "rope_parameters")
        if more := set(new or {}) - {"full_attention", "sliding_attention"}:
            raise ImportRefused(LABELS("outside_of_tables", names=shorten_name(", ".join(sorted(map(str, more))), 60)))
        if old is not None and new is not None and self.scaled and new.get(self.kind) is None:
            raise ImportRefused(LABELS["both_tables"])
        # "rope_type" is there from the beginning, so that a `type` in the old spelling changes nothing
        said: dict[str, object] = {"rope_type": "default"} if new is None else dict(_table(new, self.kind) or {})
        said |= old or {} if self.scaled else {}
        said.setdefault("rope_theta", theirs.get(self.base_name, self.base) if self.base_name else self.base)
        if "partial_rotary_factor" in theirs:
            said.setdefault("partial_rotary_factor", theirs["partial_rotary_factor"])
        said["rope_type"] = _kind(said)
        said.setdefault(_BEFORE, theirs.get("max_position_embeddings"))
        return said


PLAIN = RopeConfigFormat()


def rotary_fields(theirs: Config, spelling: RopeConfigFormat | LayerRopeConfigFormat = PLAIN) -> Config:
    """Return the JSON values of `RotarySettings`.

    Raises:
        ImportRefused: if positions are scaled in a way that ours are not, or a value is missing or no number.
    """
    said = spelling.said(theirs)
    kind, share = said["rope_type"], said.get("partial_rotary_factor", 1.0)
    known = spelling.known or tuple(_KNOWN)
    if not isinstance(kind, str) or kind not in known:
        raise ImportRefused(LABELS("unknown_kind", kind=shorten_name(repr(kind), 40), known=", ".join(known)))
    missing = [name for name in _KNOWN[kind] if said.get(name) is None and (kind, name not in said) != ("yarn", False)]
    if missing:
        raise ImportRefused(LABELS("missing", kind=repr(kind), missing=", ".join(missing)))
    if said["rope_theta"] is None:
        raise ImportRefused(LABELS["no_base"])
    check_number(said, *_NUMBERS)
    check_number(theirs, "max_position_embeddings")
    if spelling.share is None:
        if kind != "default" and share not in (None, 1.0):
            raise ImportRefused(LABELS("partial", share=shorten_name(repr(share), 40), kind=repr(kind)))
        share = 1.0  # without scaling, the reference doesn't look at it either
    return {"base": said["rope_theta"], "share": share} | _scaling(kind, said, theirs)


def trained_length(theirs: Config, spelling: RopeConfigFormat | LayerRopeConfigFormat = PLAIN) -> object:
    """Return the model's published context length; LongRoPE's short factors apply up to the length before scaling."""
    longest, said = required_setting(theirs, "max_position_embeddings"), spelling.said(theirs)
    if said["rope_type"] != "longrope":
        return longest
    check_number(said, _BEFORE)
    check_number(theirs, "max_position_embeddings")
    return min(longest, said[_BEFORE])


def _table(theirs: Config, name: str) -> dict[str, Any] | None:
    value = theirs.get(name)
    if value is not None and not isinstance(value, dict):
        raise ImportRefused(LABELS("no_table", name=name, value=shorten_name(repr(value), 40)))
    return value


def _kind(said: Config) -> object:
    """The newer name counts."""
    return said["rope_type"] if "rope_type" in said else said.get("type", "default")


def _scaling(kind: str, said: Config, theirs: Config) -> dict[str, object]:
    if kind == "linear":
        return {"factor": said["factor"]}
    if kind == "llama3":
        return {
            "factor": said["factor"],
            "trained_length": _before(said),
            "slow": said["low_freq_factor"],
            "fast": said["high_freq_factor"],
        }
    if kind == "yarn":
        if said.get("truncate") is False:
            raise ImportRefused(LABELS["half_pairs"], is_sentence=True)
        factor = _factor(said, theirs)
        return {
            "factor": factor,
            "trained_length": _before(said),
            "slow": said.get("beta_slow") or 1.0,
            "fast": said.get("beta_fast") or 32.0,
            "by_pair": True,
            "gain": _gain(said, factor),
        }
    if kind == "longrope":
        return {
            "factors": said["short_factor"],
            "long_factors": said["long_factor"],
            "trained_length": _before(said),
            "gain": _long_gain(said, theirs),
        }
    return {}


def _before(said: Config) -> Any:
    """Return the context length before positions were scaled."""
    return required_setting(said, _BEFORE)


def _factor(said: Config, theirs: Config) -> Any:
    """Return the factor by which the context was extended."""
    if said.get("factor") is not None:
        return said["factor"]
    return required_setting(theirs, "max_position_embeddings") / _before(said)


def _gain(said: Config, factor: float) -> float:
    """Return the factor by which YaRN multiplies queries and keys."""

    def of(scale: float) -> float:
        return 0.1 * scale * math.log(factor) + 1.0 if factor > 1 else 1.0

    if said.get("attention_factor") is not None:
        return float(said["attention_factor"])
    if said.get("mscale") and said.get("mscale_all_dim"):
        return of(said["mscale"]) / of(said["mscale_all_dim"])
    return of(1.0)


def _long_gain(said: Config, theirs: Config) -> float:
    """Return the factor by which LongRoPE multiplies queries and keys."""
    if said.get("attention_factor") is not None:
        return float(said["attention_factor"])
    factor, before = _factor(said, theirs), _before(said)
    return math.sqrt(1 + math.log(factor) / math.log(before)) if factor > 1 < before else 1.0
