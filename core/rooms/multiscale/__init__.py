"""A multi-scale ViT: windows, patch merging, stages."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/images/scales.py",
    order=3,
    icon=":material/stacks:",
    exhibits=(ExhibitSpec("reach:reach", experiments=("scales",)), ExhibitSpec("stages:stages")),
)
