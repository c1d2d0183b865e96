"""Next token: a model's predictions at each position of a text, and how a text is generated from them."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/generate/next_token.py",
    order=1,
    title="Next token",
    icon=":material/text_select_start:",
    card="See what a model expects next, and watch a text grow from it.",
    exhibits=(
        Entry("write:write"),
        Entry("what_comes_next:what_comes_next"),
        Entry("each_token:each_token"),
    ),
)
