"""Open a pretrained model from a folder or an upload, and look at it in every room."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/families/pretrained.py",
    order=6,
    title="Pretrained",
    icon=":material/folder_open:",
    card="Open a GPT-2, BERT or T5 from your disk, and look inside as if you'd trained it.",
    exhibits=(
        Entry("open_one:open_a_model"),
        Entry("facts:what_it_is"),
        Entry("check:does_it_work"),
        Entry("names:what_was_renamed"),
    ),
    nearest=("gpt", "bert"),
)
