"""The encoder-decoder: one side reads a text, the other writes one."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/families/encoder_decoder.py",
    order=4,
    title="Encoder-decoder",
    icon=":material/compare_arrows:",
    card="The kind that translates: train one in a minute, and see which word looks at which.",
    exhibits=(
        Entry("translate:translate", live=("translation",)),
        Entry("roles:roles"),
        Entry("maps:maps"),
        Entry("swap:swap"),
        Entry("forcing:forced_or_free"),
        Entry("rivals:rivals", live=("translation-rivals",)),
        Entry("beams:beams"),
        Entry("caveats:bleu_caveats"),
        Entry("applications:applications", live=("applications",)),
    ),
)
