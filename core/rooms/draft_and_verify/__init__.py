"""Draft and verify (speculative decoding): a cheap draft proposes tokens that the large model verifies in one pass."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/today/draft_and_verify.py",
    order=7,
    title="Draft and verify",
    icon=":material/fact_check:",
    card="A small model writes ahead and a large one checks: fewer passes, exactly the same distribution.",
    exhibits=(
        Entry("film:rounds"),
        Entry("same:same_distribution"),
        Entry("pays:when_it_pays"),
        Entry("training:train_a_draft", live=("draft",)),
        Entry("guessable:what_can_be_guessed", is_folded=True),
    ),
)
