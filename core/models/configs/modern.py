"""The options that today's models add to a GPT. By default they add nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from core.models.configs.config_and_input_checks import check_counts
from core.nn.experts import ExpertSettings
from core.nn.positions import RotarySettings


@dataclass(frozen=True, kw_only=True)
class Modern:
    """The options of a GPT that GPT-2 doesn't have.

    Args:
        n_kv_head: heads of keys and values, each shared by n_head / n_kv_head heads of queries; None means n_head.
        d_head: width of a head; None means d_model / n_head.
        d_embed: width of the token embeddings, which a linear layer brings to d_model; None means d_model, without
            such a layer.
        rotary: how fast rotary positions turn; None means as published.
        slopes: ALiBi's slopes, one for each head; None means the paper's.
        window: how many tokens, itself included, a token reads in the windowed layers; None means that no layer has a
            window.
        windowed: the layers that have the window, counted from 0; None means all.
        window_rotary: how fast rotary positions turn in the windowed layers; None means as in the others.
        unrotated: the layers without rotary positions, counted from 0 (NoPE); None means no layer.
        scale: factor of the dot products; None means 1 / sqrt(d_head).
        experts: a mixture of experts in place of each feed-forward.
        embed_scale: factor of the embeddings; Gemma's is sqrt(d_model).
        embed_norm: whether the embeddings are normalized before the first block.
        token_shift: whether half of what each feed-forward reads comes from the token before.
        output_bias: whether the output layer adds a learned number to each token's logit.
        logit_softcap: the largest logit possible, by tanh; None means no bound.
        n_label: number of labels that the output layer scores in place of the next token; None: it scores tokens.

    Raises:
        ValueError: if a size isn't positive or a factor isn't between 0 and a million.

    Source: layers without positions: Kazemnejad et al. 2023 (NoPE, 2305.19466), every fourth: Yang et al. 2025
    (2501.18795); labels: Radford et al. 2018 (GPT), section 3.3.
    """

    n_kv_head: int | None = None
    d_head: int | None = None
    d_embed: int | None = None
    rotary: RotarySettings | None = None
    slopes: tuple[float, ...] | None = None
    window: int | None = None
    windowed: tuple[int, ...] | None = None
    window_rotary: RotarySettings | None = None
    unrotated: tuple[int, ...] | None = None
    scale: float | None = None
    experts: ExpertSettings | None = None
    embed_scale: float = 1.0
    embed_norm: bool = False
    token_shift: bool = False
    output_bias: bool = False
    logit_softcap: float | None = None
    n_label: int | None = None

    def __post_init__(self) -> None:
        check_counts(self)
        for name in ("scale", "embed_scale", "logit_softcap"):
            if getattr(self, name) is not None and not 0 < getattr(self, name) < 1e6:
                raise ValueError(f"{name}={getattr(self, name)} is not between 0 and a million")


OPTION_NAMES = frozenset(field.name for field in fields(Modern))


def flatten_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a config's JSON with today's options next to the sizes, as older files and recipes have it."""
    others = {name: value for name, value in values.items() if name != "modern"}
    modern = values.get("modern")
    beside = modern.items() if isinstance(modern, Mapping) else ()
    return others | {name: value for name, value in beside if name not in others}


def nest_flat_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a config's JSON with today's options under "modern", wherever they were."""
    beside = {name: value for name, value in values.items() if name in OPTION_NAMES}
    modern = values.get("modern", {})
    if not beside or not isinstance(modern, Mapping):
        return dict(values)
    others = {name: value for name, value in values.items() if name not in OPTION_NAMES}
    return others | {"modern": {**modern, **beside}}


class LayerKinds:
    """A mixin for configs whose layers may differ: in their window, and in how fast rotary positions turn."""

    if TYPE_CHECKING:
        positions: str
        n_layer: int

        @property
        def modern(self) -> Modern: ...

    def has_window(self, layer: int) -> bool:
        """Return whether a layer attends only within its window."""
        modern = self.modern
        return modern.window is not None and (modern.windowed is None or layer in modern.windowed)

    def has_rotary(self, layer: int) -> bool:
        """Return whether rotary positions turn the queries and keys of a layer."""
        return self.positions == "rotary" and layer not in (self.modern.unrotated or ())

    def rotary_of(self, layer: int) -> RotarySettings | None:
        """Return the speeds of rotary positions in a layer; None means as published."""
        modern = self.modern
        return (modern.window_rotary or modern.rotary) if self.has_window(layer) else modern.rotary

    def check_layers(self: Any) -> None:
        """Raise ValueError if rotary positions don't fit the heads, or windows the layers."""
        modern: Modern = self.modern
        d_head = modern.d_head or self.d_model // self.n_head
        for rotary in (modern.rotary, modern.window_rotary):
            if self.positions != "rotary" and rotary is not None:
                raise ValueError(f"{rotary} needs positions='rotary', not {self.positions!r}")
            if self.positions == "rotary":
                _check_heads(rotary or RotarySettings(), d_head)
            if self.causal:  # an encoder reads a text in one go
                _check_length(rotary, self.context_length)
        if modern.window_rotary is not None and modern.window_rotary.share != (modern.rotary or RotarySettings()).share:
            raise ValueError("rotary and window_rotary must turn the same share of each head")
        if modern.window is None and not modern.windowed is modern.window_rotary is None:
            raise ValueError("windowed and window_rotary need a window")
        if modern.unrotated is not None and self.positions != "rotary":
            raise ValueError(f"unrotated={modern.unrotated} needs positions='rotary', not {self.positions!r}")
        for name, layers in (("windowed", modern.windowed), ("unrotated", modern.unrotated)):
            if not all(0 <= layer < self.n_layer for layer in layers or ()):
                raise ValueError(f"{name}={layers} are not all layers of 0..{self.n_layer - 1}")


def _check_length(rotary: RotarySettings | None, context_length: int) -> None:
    """Raise ValueError if long_factors would come into use while a text is being written.

    Cached keys were turned while the text was short. So a text that is being written ends at the trained length: from
    there on the context window moves, and is read again.
    """
    if rotary is not None and rotary.long_factors and context_length > (rotary.trained_length or 0):
        raise ValueError(
            f"context_length={context_length} is beyond trained_length={rotary.trained_length}, "
            "from which on long_factors count"
        )


def _check_heads(rotary: RotarySettings, d_head: int) -> None:
    n_turned = rotary.n_turned(d_head)
    if n_turned % 2 and rotary.share == 1:
        raise ValueError(f"rotary positions need an even d_head, got {d_head}")
    if n_turned % 2:
        raise ValueError(
            f"rotary positions turn pairs of numbers: a share of {rotary.share:g} of the {d_head} numbers of a head "
            f"is {n_turned}, which is odd"
        )
    for name in ("factors", "long_factors"):
        one = getattr(rotary, name)
        if one is not None and len(one) != n_turned // 2:
            raise ValueError(f"{len(one)} {name} do not match the {n_turned // 2} pairs that turn")
