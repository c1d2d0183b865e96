"""The block: a token's way through it, its norms, its feed-forward layer, and where the parameters are."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/block.py",
    order=8,
    title="The block",
    icon=":material/layers:",
    card="Follow one token through all the parts of a transformer block.",
    one_file="core.models.minimal",
    exhibits=(
        Entry("through_the_block:through_the_block"),
        Entry("feed_forward:units"),
        Entry("collapse:tokens_become_identical", live=("depth",)),
        Entry("depth:gradients_with_depth", live=("depth",), is_folded=True),
        Entry("layer_norm:shape_stays", is_folded=True),
        Entry("activations:nonlinearity", is_folded=True),
        Entry("parameters:where", is_folded=True),
        Entry("slips:slips", is_folded=True),
    ),
)
