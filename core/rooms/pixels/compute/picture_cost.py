"""What a picture costs a transformer by its size: with every pixel a token, and with every patch a token.

A picture twice as high and wide has four times the tokens and sixteen times the pairs of tokens.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.inspect.costs.layer_cost import FLOAT_BYTES, LayerCost, layer_cost

N_COLOR = 3  # red, green, blue
SIDES = (16, 32, 48, 64, 96, 128, 192, 224, 256, 384, 512)
COUNTS: Mapping[str, str] = MappingProxyType(
    {"tokens": "Tokens", "pairs": "Pairs, one head", "bytes": "Bytes, all heads", "work": "Multiply-adds"}
)


@dataclass(frozen=True)
class PictureCost:
    """One picture, read by one layer."""

    n_token: int  # N
    n_head: int  # H
    layer: LayerCost  # its multiply-adds and numbers

    @property
    def pairs(self) -> int:
        """Entries of the attention matrix of one head: N^2."""
        return self.n_token**2

    @property
    def matrix_bytes(self) -> int:
        """Of the attention matrices of all heads, in single precision: 4 H N^2."""
        return FLOAT_BYTES * self.n_head * self.pairs

    def count(self, what: str) -> int:
        """One of `COUNTS`."""
        return {"tokens": self.n_token, "pairs": self.pairs, "bytes": self.matrix_bytes, "work": self.layer.total}[what]


def pixel_tokens(side: int) -> int:
    """Tokens of a picture whose pixels are tokens, as ImageGPT has it: a color of the palette for each.

    The start token stands before them and the last pixel is never read, so it is no token more.
    """
    return side * side


def patch_tokens(side: int, patch_size: int) -> int:
    """Tokens of a picture in patches, as ViT has it: one for each patch, and the class token.

    Raises:
        ValueError: if patches of this size do not fill the picture.
    """
    if side % patch_size:
        raise ValueError(f"patches of {patch_size} pixels do not fill a picture of {side}")
    return (side // patch_size) ** 2 + 1


def picture_cost(n_token: int, d_model: int, n_head: int) -> PictureCost:
    """Count one layer (attention and feed-forward) that reads a picture of so many tokens."""
    return PictureCost(n_token, n_head, layer_cost(n_token, d_model, n_head))
