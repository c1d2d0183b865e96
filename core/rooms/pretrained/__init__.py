"""Open a pretrained model from a folder or an upload, and look at it in every room."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/families/pretrained.py",
    order=6,
    title="Pretrained",
    icon=":material/folder_open:",
    card="See every number of a model, round them, and open other people's GPT-2, BERT or T5.",
    exhibits=(
        Entry("every_number:every_number"),
        Entry("check:does_it_work"),
        Entry("open_one:open_a_model"),
        Entry("facts:what_it_is"),
    ),
    nearest=("gpt", "bert"),
)
