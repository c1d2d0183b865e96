"""The decoder: a GPT learns from any text by predicting each next token."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/families/decoder.py",
    order=2,
    title="Decoder",
    icon=":material/edit_note:",
    card="The kind that writes: one step of its training, frozen, and what each layer would say.",
    one_file="core.models.minimal",
    exhibits=(
        Entry("lens_film:lens_film", live=("lens",)),
        Entry("frozen_step:frozen_step"),
        Entry("lens:lens"),
        Entry("write:write"),
        Entry("unembed:last_row", is_folded=True),
        Entry("first_loss:first_loss", is_folded=True),
        Entry("one_step:optimizer_step", is_folded=True),
        Entry("leak:leak_test", is_folded=True),
        Entry("slips:slips", is_folded=True),
    ),
)
