"""Next token: a model's predictions at each position of a text, and how a text is generated from them."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/generate/next_token.py",
    order=1,
    icon=":material/text_select_start:",
    exhibits=(
        ExhibitSpec("write:write"),
        ExhibitSpec("what_comes_next:what_comes_next"),
        ExhibitSpec("each_token:each_token"),
    ),
)
