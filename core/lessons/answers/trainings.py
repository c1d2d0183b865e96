"""The trainings that answers look into: what the exhibits of the lesson show, and what the learner made himself."""

from core.lessons.answers.answer import NotYet
from core.ui import live
from core.ui.live import Live

WAIT = "Train it with the button first: the answer is computed from your own model, and stands here when it is done."


def shown(name: str) -> Live:
    """What every exhibit shows of this experiment now: the learner's own training, or the example that ships.

    Raises:
        LookupError: if the example is missing.
    """
    found = live.current(name)
    if found is None:
        raise LookupError(f"there is no example of the experiment {name!r}")
    return found


def own(name: str) -> Live | NotYet:
    """The learner's own training once it is done; until then, what to do."""
    found = live.current(name)
    return NotYet(WAIT) if found is None or found.is_example or not found.is_done else found
