"""From predictor to assistant: instruction tuning, preferences, and a reward, in a world with known truth."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/today/assistant.py",
    order=6,
    title="From predictor to assistant",
    icon=":material/forum:",
    card="A predictor answers a question with more questions. Four training runs change that.",
    exhibits=(
        Entry("four_models:four_models", live=("assistant",)),
        Entry("own_choices:own_choices", live=("own-choices",)),
        Entry("wrong_reward:wrong_reward", live=("wrong-reward",)),
        Entry("preferences:preferences", live=("preferences",)),
        Entry("checker:checker"),
        Entry("mask:loss_mask", is_folded=True),
    ),
    nearest=("adapters", "strategies"),
)
