"""Long texts: reading beyond the trained length, what is lost and found there, and what the KV cache costs."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/today/long_texts.py",
    order=3,
    title="Long texts",
    icon=":material/format_line_spacing:",
    card="Trained on 64 tokens, read at 512: where it breaks, and what fixes it.",
    exhibits=(
        Entry("by_position:beyond", live=("long-texts",)),
        Entry("needle:needle"),
        Entry("clocks:clocks"),
        Entry("cache_size:cache_size"),
    ),
    nearest=("positions", "cache"),
)
