"""Tokens: a text is split into pieces, the pieces get numbers, and the numbers become vectors."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/tokens.py",
    order=1,
    title="Tokens",
    icon=":material/text_fields:",
    card="Watch a text fall into pieces, and see how the pieces are chosen.",
    exhibits=(
        Entry("born:bpe_is_born"),
        Entry("four_ways:four_ways"),
        Entry("rows:one_hot_look_up"),
        Entry("size:how_large", is_folded=True),
        Entry("own:own_tokens", live=("own-tokens",), is_folded=True),
    ),
)
