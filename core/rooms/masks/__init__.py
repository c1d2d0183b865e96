"""Masks: who may read whom, why the mask comes before the softmax, and what a mask of one's own lets through."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/masks.py",
    order=5,
    title="Masks",
    icon=":material/grid_off:",
    card="They say which words may read which. Draw one, and watch a model cheat without it.",
    exhibits=(
        Entry("kinds:kinds_of_masks"),
        Entry("places:where_the_mask_belongs"),
        Entry("lowest:number_for_minus_infinity"),
        Entry("draw:draw_your_own"),
        Entry("batch:padding_against_causal"),
        Entry("cheating:train_without", live=("cheating",)),
    ),
)
