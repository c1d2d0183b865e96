"""The four models of the experiment with depth, by the names they have on the page."""

from typing import Final

from core.train.experiments.depth import NAMES

NAME: Final = "depth"
WITHOUT: Final = ("none_8", "none_2")


def in_full(variant: str) -> str:
    """As in "8 layers, no path"."""
    return NAMES[variant].replace(",", " layers,")
