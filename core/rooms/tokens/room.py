from core.ui.frame.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/tokens.py",
    order=1,
    title="Tokens",
    icon=":material/text_fields:",
    card="Watch a text fall into pieces, and see how the pieces are chosen.",
    exhibits=(
        Entry("four_ways:four_ways", bar="choice:choose"),
        Entry("born:bpe_is_born", bar="choice:choose"),
        Entry("size:how_large", bar="choice:choose"),
        Entry("rows:one_hot_look_up", bar="rows:look_here"),
        Entry("own:own_tokens", live=("own-tokens",)),
    ),
)
