"""The encoder-decoder: one side reads a text, the other writes one."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/families/encoder_decoder.py",
    order=4,
    icon=":material/compare_arrows:",
    exhibits=(
        ExhibitSpec("looks_back:looks_back"),
        ExhibitSpec("swap:swap"),
        ExhibitSpec("translate:translate", experiments=("translation",)),
        ExhibitSpec("roles:roles"),
        ExhibitSpec("applications:applications", experiments=("applications",)),
        ExhibitSpec("maps:maps"),
        ExhibitSpec("forcing:forced_or_free"),
        ExhibitSpec("beams:beams"),
        ExhibitSpec("caveats:bleu_caveats"),
    ),
)
