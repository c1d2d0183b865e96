"""Open a pretrained model from a folder or an upload, and look at it in every room."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/families/pretrained.py",
    order=6,
    title="Pretrained",
    icon=":material/folder_open:",
    card="See every number of a model, round them, and open other people's GPT-2, BERT or T5.",
    exhibits=(
        ExhibitSpec("every_number:every_number"),
        ExhibitSpec("check:does_it_work"),
        ExhibitSpec("open_one:open_a_model"),
        ExhibitSpec("facts:what_it_is"),
    ),
    related_lessons=("gpt", "bert"),
)
