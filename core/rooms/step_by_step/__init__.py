"""Attention, step by step: a soft dictionary, then one whole layer in which every cell shows its arithmetic."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/steps.py",
    order=4,
    icon=":material/calculate:",
    exhibits=(
        ExhibitSpec("dictionary:soft_look_up"),
        ExhibitSpec("walk:whole_walk"),
        ExhibitSpec("scale:why_the_root"),
        ExhibitSpec("split:many_heads"),
        ExhibitSpec("cost:cost"),
        ExhibitSpec("root:where_the_root_stands"),
        ExhibitSpec("slips:slips"),
    ),
)
