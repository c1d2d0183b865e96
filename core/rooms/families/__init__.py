"""Three families of transformers side by side: what each is for, and what each can do."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/families/table.py",
    order=1,
    icon=":material/family_history:",
    name="families",
    exhibits=(
        ExhibitSpec("three_blocks:three_blocks"),
        ExhibitSpec("same_question:same_question", experiments=("families",)),
        ExhibitSpec("family_table:family_table"),
        ExhibitSpec("who_reads:who_reads", is_folded=True),
    ),
    related_lessons=("gpt", "bert", "t5"),
)
