"""Attention, step by step: a soft dictionary, then one whole layer in which every cell shows its arithmetic."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/steps.py",
    order=4,
    title="Attention, step by step",
    icon=":material/calculate:",
    card="One attention layer, small enough to check by hand. Change any number.",
    exhibits=(
        Entry("dictionary:soft_look_up"),
        Entry("walk:whole_walk"),
        Entry("scale:why_the_root"),
        Entry("split:many_heads", is_folded=True),
        Entry("cost:cost", is_folded=True),
        Entry("root:where_the_root_stands", is_folded=True),
        Entry("slips:slips", is_folded=True),
    ),
)
