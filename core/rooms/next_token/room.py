from core.ui.frame.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/generate/next_token.py",
    order=1,
    title="Next token",
    icon=":material/text_select_start:",
    card="See what a model expects next, and watch a text grow from it.",
    exhibits=(
        Entry("distributions:each_token", bar="distributions:look_at_place"),
        Entry("distributions:what_comes_next", bar="distributions:look_at_place"),
        Entry("write:write", bar="distributions:look_here"),
    ),
)
