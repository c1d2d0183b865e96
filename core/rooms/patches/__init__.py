"""A ViT: a picture cut into patches, a live training run, and a look inside."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/images/patches.py",
    order=1,
    icon=":material/grid_on:",
    exhibits=(
        ExhibitSpec("hide:hide"),
        ExhibitSpec("cut:cut"),
        ExhibitSpec("training:training", experiments=("digits",)),
        ExhibitSpec("shuffle:shuffle"),
        ExhibitSpec("attention:attention"),
        ExhibitSpec("rollout:rollout"),
        ExhibitSpec("similarity:similarity"),
    ),
)
