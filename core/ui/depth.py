"""How deep the app goes: story, numbers, formula or code. Each depth shows what those before it show, and more."""

from typing import Literal, get_args

Depth = Literal["story", "numbers", "formula", "code"]
DEPTHS: tuple[Depth, ...] = get_args(Depth)
DEFAULT: Depth = "formula"


def depth() -> Depth:
    """What this visitor has chosen."""
    return DEFAULT


def at_least(wanted: Depth) -> bool:
    """Whether what belongs to a depth is to be shown."""
    return DEPTHS.index(depth()) >= DEPTHS.index(wanted)
