"""The four models of the experiment with depth, by the names they have on the page."""

from typing import Final

from core.rooms.block.experiments.depth import NAMES

NAME: Final = "depth"
FULL: Final = {variant: name.replace(",", " layers,") for variant, name in NAMES.items()}
WITHOUT: Final = ("none_8", "none_2")
