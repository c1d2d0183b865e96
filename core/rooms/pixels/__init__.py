"""ImageGPT: pixels as tokens, a color palette, completions, and what the model learned along the way."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/images/pixels.py",
    order=2,
    icon=":material/apps:",
    exhibits=(
        ExhibitSpec("complete:complete"),
        ExhibitSpec("quantise:quantise"),
        ExhibitSpec("training:training", experiments=("pixels",)),
        ExhibitSpec("orders:orders", is_folded=True),
        ExhibitSpec("quadratic:quadratic", is_folded=True),
        ExhibitSpec("probe:probe", is_folded=True),
    ),
)
