"""Open a pretrained model from a folder or an upload, and look at it in every room."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/families/pretrained.py",
    order=6,
    icon=":material/folder_open:",
    exhibits=(
        ExhibitSpec("changed_numbers:changed_numbers"),
        ExhibitSpec("every_number:every_number"),
        ExhibitSpec("check:does_it_work"),
        ExhibitSpec("open_one:open_a_model"),
        ExhibitSpec("facts:what_it_is"),
    ),
    related_lessons=("gpt", "bert"),
)
