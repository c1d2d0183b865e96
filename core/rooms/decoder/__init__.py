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
        ExhibitSpec("unembed:last_row", is_folded=True),
        ExhibitSpec("first_loss:first_loss", is_folded=True),
        ExhibitSpec("one_step:optimizer_step", is_folded=True),
        ExhibitSpec("leak:leak_test", is_folded=True),
        ExhibitSpec("slips:slips", is_folded=True),
    ),
)
