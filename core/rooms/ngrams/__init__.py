"""N-grams: count which token follows which, and see how far counting alone gets."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/before/ngrams.py",
    order=1,
    title="N-grams",
    icon=":material/bar_chart:",
    card="Count which token follows which, and see how far counting gets you.",
    exhibits=(
        Entry("counts:counting_pairs"),
        Entry("orders:how_far_back"),
        Entry("markov:factor_by_factor"),
        Entry("slips:slips", is_folded=True),
    ),
)
