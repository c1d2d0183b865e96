"""Three families of transformers side by side: what each is for, and what each can do."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/families/table.py",
    order=1,
    title="The family table",
    icon=":material/family_history:",
    card="Three kinds of transformer, and what each is good at, measured on the same tiny tasks.",
    name="families",
    exhibits=(
        Entry("three_blocks:three_blocks"),
        Entry("same_question:same_question", live=("families",)),
        Entry("family_table:family_table"),
        Entry("who_reads:who_reads", is_folded=True),
    ),
    nearest=("gpt", "bert", "t5"),
)
