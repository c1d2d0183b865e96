"""A multi-scale ViT: windows, patch merging, stages."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/images/scales.py",
    order=3,
    title="Many scales",
    icon=":material/stacks:",
    card="Windows that cover more of the picture from stage to stage, and the work that saves.",
    exhibits=(ExhibitSpec("reach:reach", experiments=("scales",)), ExhibitSpec("stages:stages")),
)
