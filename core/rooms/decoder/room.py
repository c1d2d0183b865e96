from core.ui.frame.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/families/decoder.py",
    order=2,
    title="Decoder",
    icon=":material/edit_note:",
    card="The kind that writes: one step of its training, frozen, and what each layer would say.",
    exhibits=(
        Entry("frozen_step:frozen_step", bar="inputs:look_here"),
        Entry("first_loss:first_loss"),
        Entry("unembed:last_row", bar="inputs:look_here"),
        Entry("lens:lens", bar="inputs:look_here"),
        Entry("lens_film:lens_film", live=("lens",)),
        Entry("write:write"),
        Entry("one_step:optimizer_step", bar="inputs:look_here"),
        Entry("leak:leak_test", bar="inputs:look_here"),
        Entry("slips:slips", bar="inputs:look_here"),
    ),
)
