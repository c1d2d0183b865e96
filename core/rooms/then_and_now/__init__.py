"""Then and now: a transformer block of 2017 and one of today, and the effect of each of nine switches between them."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/today/then_and_now.py",
    order=1,
    title="Then and now",
    icon=":material/compare_arrows:",
    card="Nine switches between the block of 2017 and today’s, each trained: see which ones matter.",
    exhibits=(
        Entry("two_blocks:two_blocks", live=("all-switches",)),
        Entry("your_switches:your_switches", live=("your-switches",)),
        Entry("prices:prices", is_folded=True),
    ),
)
