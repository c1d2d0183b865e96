"""ImageGPT: pixels as tokens, a color palette, completions, and what the model learned along the way."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/images/pixels.py",
    order=2,
    title="Pixels",
    icon=":material/apps:",
    card="Draw half a digit, and let a small model draw the rest, pixel by pixel.",
    exhibits=(
        Entry("complete:complete"),
        Entry("quantise:quantise"),
        Entry("training:training", live=("pixels",)),
        Entry("orders:orders", is_folded=True),
        Entry("quadratic:quadratic", is_folded=True),
        Entry("probe:probe", is_folded=True),
    ),
)
