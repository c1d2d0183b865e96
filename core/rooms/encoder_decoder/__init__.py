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
        Entry("swap:swap"),
        Entry("translate:translate", live=("translation",)),
        Entry("roles:roles"),
        Entry("applications:applications", live=("applications",)),
        Entry("maps:maps", is_folded=True),
        Entry("forcing:forced_or_free", is_folded=True),
        Entry("beams:beams", is_folded=True),
        Entry("caveats:bleu_caveats", is_folded=True),
    ),
)
