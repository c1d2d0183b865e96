"""Long texts: reading beyond the trained length, what is lost and found there, and what the KV cache costs."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/today/long_texts.py",
    order=3,
    icon=":material/format_line_spacing:",
    exhibits=(
        ExhibitSpec("by_position:beyond", experiments=("long-texts",)),
        ExhibitSpec("six_ways:six_ways"),
        ExhibitSpec("needle:needle"),
        ExhibitSpec("clocks:clocks"),
        ExhibitSpec("cache_size:cache_size"),
    ),
    related_lessons=("positions", "cache"),
)
