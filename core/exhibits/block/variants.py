"""The four models of the experiment with depth, by the names they have on the page."""

from types import MappingProxyType
from typing import Final

NAME: Final = "depth"
NAMES: Final = MappingProxyType(
    {"pre_8": "eight, pre-norm", "post_8": "eight, post-norm", "none_8": "eight, no path", "none_2": "two, no path"}
)
WITHOUT: Final = ("none_8", "none_2")


def in_full(variant: str) -> str:
    """As in "Eight layers, no path"."""
    return NAMES[variant].replace(",", " layers,").capitalize()
