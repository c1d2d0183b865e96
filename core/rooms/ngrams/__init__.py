"""N-grams: count which token follows which, and see how far counting alone gets."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/before/ngrams.py",
    order=1,
    icon=":material/bar_chart:",
    exhibits=(
        ExhibitSpec("counts:counting_pairs"),
        ExhibitSpec("orders:how_far_back"),
        ExhibitSpec("markov:factor_by_factor"),
        ExhibitSpec("slips:slips", is_folded=True),
    ),
)
