"""The four models of the experiment with depth, by the names they have on the page."""

from types import MappingProxyType
from typing import Final

NAME: Final = "depth"
NAMES: Final = MappingProxyType(
    {"pre_8": "8, pre-norm", "post_8": "8, post-norm", "none_8": "8, no path", "none_2": "2, no path"}
)
WITHOUT: Final = ("none_8", "none_2")


def in_full(variant: str) -> str:
    """As in "8 layers, no path"."""
    return NAMES[variant].replace(",", " layers,")
