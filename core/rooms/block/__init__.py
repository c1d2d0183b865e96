"""The block: a token's way through it, its norms, its feed-forward layer, and where the parameters are."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/block.py",
    order=8,
    icon=":material/layers:",
    one_file="core.models.minimal",
    exhibits=(
        ExhibitSpec("through_the_block:through_the_block"),
        ExhibitSpec("feed_forward:units"),
        ExhibitSpec("collapse:tokens_become_identical", experiments=("depth",)),
        ExhibitSpec("depth:gradients_with_depth", experiments=("depth",), is_folded=True),
        ExhibitSpec("layer_norm:shape_stays", is_folded=True),
        ExhibitSpec("activations:nonlinearity", is_folded=True),
        ExhibitSpec("parameters:where", is_folded=True),
        ExhibitSpec("slips:slips", is_folded=True),
    ),
)
