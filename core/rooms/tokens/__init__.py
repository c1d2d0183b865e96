"""Tokens: a text is split into pieces, the pieces get numbers, and the numbers become vectors."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/tokens.py",
    order=1,
    icon=":material/text_fields:",
    exhibits=(
        ExhibitSpec("born:bpe_is_born"),
        ExhibitSpec("four_ways:four_ways"),
        ExhibitSpec("rows:one_hot_look_up"),
        ExhibitSpec("size:how_large", is_folded=True),
        ExhibitSpec("own:own_tokens", experiments=("own-tokens",), is_folded=True),
    ),
)
