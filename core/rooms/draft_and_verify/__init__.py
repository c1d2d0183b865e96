"""Draft and verify (speculative decoding): a cheap draft proposes tokens that the large model verifies in one pass."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/today/draft_and_verify.py",
    order=7,
    icon=":material/fact_check:",
    exhibits=(
        ExhibitSpec("film:rounds"),
        ExhibitSpec("same:same_distribution"),
        ExhibitSpec("pays:when_it_pays"),
        ExhibitSpec("training:train_a_draft", experiments=("draft",)),
        ExhibitSpec("guessable:what_can_be_guessed", is_folded=True),
    ),
)
