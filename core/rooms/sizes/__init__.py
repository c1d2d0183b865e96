"""The size of a model: weights, compute and memory, from your own to GPT-3."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/families/sizes.py",
    order=5,
    icon=":material/straighten:",
    exhibits=(
        ExhibitSpec("scale:scale"),
        ExhibitSpec("count:count"),
        ExhibitSpec("law:law", experiments=("scaling",)),
        ExhibitSpec("slips:slips", is_folded=True),
    ),
    related_lessons=("the-block", "gpt"),
)
