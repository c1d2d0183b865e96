"""The KV cache: keys and values that are stored, the work this saves, and the memory it costs."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/generate/cache.py",
    order=4,
    icon=":material/memory:",
    exhibits=(
        ExhibitSpec("tokens_computed:tokens_computed"),
        ExhibitSpec("tables:tables_that_grow"),
        ExhibitSpec("same_words:same_words"),
        ExhibitSpec("memory:how_much_memory", is_folded=True),
    ),
)
