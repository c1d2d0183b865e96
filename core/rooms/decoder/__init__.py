"""The decoder: a GPT learns from any text by predicting each next token."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/families/decoder.py",
    order=2,
    icon=":material/edit_note:",
    one_file="core.models.minimal",
    exhibits=(
        ExhibitSpec("next_words:next_words"),
        ExhibitSpec("lens_film:lens_film", experiments=("lens",)),
        ExhibitSpec("frozen_step:frozen_step"),
        ExhibitSpec("lens:lens"),
        ExhibitSpec("write:write"),
        ExhibitSpec("unembed:last_row"),
        ExhibitSpec("first_loss:first_loss"),
        ExhibitSpec("one_step:optimizer_step"),
        ExhibitSpec("leak:leak_test"),
        ExhibitSpec("slips:slips"),
    ),
)
