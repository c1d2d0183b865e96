"""The trainings that answers look into: the examples that ship, and what the learner made himself."""

from typing import Any

from core.lessons.answers.answer import NotYet
from core.train.experiments.live import Live
from core.ui.training import live

WAIT = (
    "First train it with the button, with the settings that this step begins with: the answer is computed from your "
    "own model, and is here when it's done."
)


def shown(name: str) -> Live:
    """The example that ships, which the lesson's explanation is about.

    Raises:
        LookupError: if the example is missing.
    """
    found = live.example(name)
    if found is None:
        raise LookupError(f"there is no example of the experiment {name!r}")
    return found


def own(name: str, **options: Any) -> Live | NotYet:
    """The learner's own training once it is done, with the options that the question means; until then, what to do."""
    found = live.own(name, options)
    return NotYet(WAIT) if found is None or not found.is_done else found
