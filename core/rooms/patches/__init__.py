"""A ViT: a picture cut into patches, a live training run, and a look inside."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/images/patches.py",
    order=1,
    title="Patches",
    icon=":material/grid_on:",
    card="Train a model to read digits, draw one, and see which squares it looks at.",
    exhibits=(
        Entry("hide:hide"),
        Entry("cut:cut"),
        Entry("training:training", live=("digits",)),
        Entry("shuffle:shuffle"),
        Entry("attention:attention"),
        Entry("rollout:rollout", is_folded=True),
        Entry("similarity:similarity", is_folded=True),
    ),
)
