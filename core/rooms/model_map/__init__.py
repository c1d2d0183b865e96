"""Model map: the whole model on one screen, to play, open, change and rewind."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/model_map.py",
    order=0,
    icon=":material/map:",
    one_file="core.models.minimal",
    exhibits=(ExhibitSpec("whole_model:whole_model"),),
    related_lessons=("many-heads",),
)
