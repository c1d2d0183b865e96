from core.ui.frame.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/masks.py",
    order=5,
    title="Masks",
    icon=":material/grid_off:",
    card="They say which words may read which. Draw one, and watch a model cheat without it.",
    exhibits=(
        Entry("kinds:kinds_of_masks", bar="inputs:look_at_head"),
        Entry("places:where_the_mask_belongs", bar="inputs:look_at_head"),
        Entry("lowest:number_for_minus_infinity", bar="inputs:look_at_head"),
        Entry("draw:draw_your_own", bar="inputs:look_at_head"),
        Entry("batch:padding_against_causal", bar="inputs:model_here"),
        Entry("cheating:train_without", live=("cheating",)),
    ),
)
