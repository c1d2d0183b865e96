"""Long texts: reading beyond the trained length, what is lost and found there, and what the KV cache costs."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/today/long_texts.py",
    order=3,
    title="Long texts",
    icon=":material/format_line_spacing:",
    card="Trained on 64 tokens, read at 512: where it breaks, and what fixes it.",
    exhibits=(
        ExhibitSpec("by_position:beyond", experiments=("long-texts",)),
        ExhibitSpec("needle:needle"),
        ExhibitSpec("clocks:clocks"),
        ExhibitSpec("cache_size:cache_size"),
    ),
    related_lessons=("positions", "cache"),
)
