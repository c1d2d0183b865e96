"""Masks: which tokens may read which, why the mask comes before the softmax, and the reach of a mask of your own."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/masks.py",
    order=5,
    icon=":material/grid_off:",
    exhibits=(
        ExhibitSpec("cheating:train_without", experiments=("cheating",)),
        ExhibitSpec("kinds:kinds_of_masks"),
        ExhibitSpec("draw:draw_your_own"),
        ExhibitSpec("places:where_the_mask_belongs", is_folded=True),
        ExhibitSpec("lowest:number_for_minus_infinity", is_folded=True),
        ExhibitSpec("batch:padding_against_causal", is_folded=True),
    ),
)
