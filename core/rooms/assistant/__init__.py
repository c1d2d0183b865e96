"""From predictor to assistant: instruction tuning, preferences, and a reward, in a world with known truth."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/today/assistant.py",
    order=6,
    icon=":material/forum:",
    exhibits=(
        ExhibitSpec("four_models:four_models", experiments=("assistant",)),
        ExhibitSpec("own_choices:own_choices", experiments=("own-choices",)),
        ExhibitSpec("wrong_reward:wrong_reward", experiments=("wrong-reward",)),
        ExhibitSpec("preferences:preferences", experiments=("preferences",)),
        ExhibitSpec("checker:checker"),
        ExhibitSpec("mask:loss_mask", is_folded=True),
    ),
    related_lessons=("adapters", "strategies"),
)
