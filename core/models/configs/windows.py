"""Layers that differ within one model: which of them read a window, and whether and how fast rotary positions turn."""

from typing import TYPE_CHECKING, Any

from core.nn.positions import Rotary


class Windows:
    """A mixin for configs with the fields positions, rotary, window, windowed and window_rotary, see `GPTConfig`.

    Where it has `unrotated`, too, rotary positions leave some of its layers out.
    """

    if TYPE_CHECKING:

        @property
        def window(self) -> int | None: ...

    def has_window(self: Any, layer: int) -> bool:
        """True if a layer attends only within its window."""
        return self.window is not None and (self.windowed is None or layer in self.windowed)

    def has_rotary(self: Any, layer: int) -> bool:
        """True if rotary positions turn the queries and keys of a layer."""
        return self.positions == "rotary" and layer not in (getattr(self, "unrotated", None) or ())

    def rotary_of(self: Any, layer: int) -> Rotary | None:
        """The speeds of rotary positions in a layer; None: as published."""
        return (self.window_rotary or self.rotary) if self.has_window(layer) else self.rotary

    def check_windows(self: Any) -> None:
        """Raises ValueError if rotary positions do not fit the heads, or windows not the layers."""
        d_head = getattr(self, "d_head", None) or self.d_model // self.n_head
        for rotary in (self.rotary, self.window_rotary):
            if self.positions != "rotary" and rotary is not None:
                raise ValueError(f"{rotary} needs positions='rotary', not {self.positions!r}")
            if self.positions == "rotary":
                _check_heads(rotary or Rotary(), d_head)
            # Cached keys were turned while the text was short, so one that is written ends at the trained length: from
            # there on a window moves, and is read again.
            is_long = rotary is not None and rotary.long_factors and self.context_length > rotary.trained_length
            if is_long and hasattr(self, "unrotated"):  # an encoder reads a text in one go
                raise ValueError(
                    f"context_length={self.context_length} is beyond trained_length={rotary.trained_length}, "
                    "from which on long_factors count"
                )
        if self.window_rotary is not None and self.window_rotary.share != (self.rotary or Rotary()).share:
            raise ValueError("rotary and window_rotary must turn the same share of each head")
        if self.window is None and not self.windowed is self.window_rotary is None:
            raise ValueError("windowed and window_rotary need a window")
        unrotated = getattr(self, "unrotated", None)
        if unrotated is not None and self.positions != "rotary":
            raise ValueError(f"unrotated={unrotated} needs positions='rotary', not {self.positions!r}")
        for name, layers in (("windowed", self.windowed), ("unrotated", unrotated)):
            if not all(0 <= layer < self.n_layer for layer in layers or ()):
                raise ValueError(f"{name}={layers} are not all layers of 0..{self.n_layer - 1}")


def _check_heads(rotary: Rotary, d_head: int) -> None:
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
