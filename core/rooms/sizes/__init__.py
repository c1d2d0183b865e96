"""The size of a model: weights, compute and memory, from your own to GPT-3."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/families/sizes.py",
    order=5,
    title="Sizes",
    icon=":material/straighten:",
    card="All the parameters of GPT-3, BERT or your own model, counted and drawn to scale.",
    exhibits=(
        Entry("scale:scale"),
        Entry("count:count"),
        Entry("law:law", live=("scaling",)),
        Entry("slips:slips", is_folded=True),
    ),
    nearest=("the-block", "gpt"),
)
