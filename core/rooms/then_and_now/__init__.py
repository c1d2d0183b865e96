"""Then and now: a transformer block of 2017 and one of today, and the effect of each of nine switches between them."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/today/then_and_now.py",
    order=1,
    icon=":material/compare_arrows:",
    exhibits=(
        ExhibitSpec("two_blocks:two_blocks", experiments=("all-switches",)),
        ExhibitSpec("your_switches:your_switches", experiments=("your-switches",)),
        ExhibitSpec("prices:prices", is_folded=True),
    ),
)
