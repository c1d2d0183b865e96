"""Home: one sentence through a transformer right away, then the map of the rooms."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/home/home.py",
    order=1,
    icon=":material/home:",
    exhibits=(ExhibitSpec("sentence:sentence_through"),),
    first_widgets=("sheets",),
)
