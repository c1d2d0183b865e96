"""Draft and verify (speculative decoding): a cheap draft proposes tokens that the large model verifies in one pass."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/today/draft_and_verify.py",
    order=7,
    title="Draft and verify",
    icon=":material/fact_check:",
    card="A small model writes ahead and a large one checks: fewer passes, exactly the same distribution.",
    exhibits=(
        ExhibitSpec("film:rounds"),
        ExhibitSpec("same:same_distribution"),
        ExhibitSpec("pays:when_it_pays"),
        ExhibitSpec("training:train_a_draft", experiments=("draft",)),
        ExhibitSpec("guessable:what_can_be_guessed", is_folded=True),
    ),
)
