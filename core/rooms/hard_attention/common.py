"""What the exhibits of this room share: what is trained, by name, and how a card is written."""

from core.cache import memoize
from core.rooms.hard_attention.experiments import choosing as task
from core.rooms.hard_attention.experiments import lecture
from core.rooms.hard_attention.experiments.choosing import Table

NAME = "choosing"
NAMES = task.NAMES
VERSIONS = lecture.NAMES  # of the lecture's class


@memoize(16)
def table(seed: int, n_card: int) -> Table:
    """The table at which the exhibits look, and a question for each of its cards."""
    return task.probe(seed, n_card)


def cards(seed: int, n_card: int) -> list[str]:
    """The cards of that table, as "K4"."""
    return task.cards(table(seed, n_card))


def questions(seed: int, n_card: int) -> list[str]:
    """The letter that each row asks for."""
    return [task.LETTERS[letter] for letter in table(seed, n_card).question]
