"""Model map: the whole model on one screen, to play, open, change and rewind."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/model_map.py",
    order=0,
    title="Model map",
    icon=":material/map:",
    card="See the whole model at once, play it, and go in down to one number.",
    one_file="core.models.minimal",
    exhibits=(ExhibitSpec("whole_model:whole_model"),),
    related_lessons=("many-heads",),
)
