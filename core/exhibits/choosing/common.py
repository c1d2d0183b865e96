"""What the exhibits of this room share: what is trained, by name, and how a card is written."""

from core.train.experiments.choosing import Table, probe
from core.ui.cache import kept

NAME = "choosing"
NAMES = {
    "soft": "soft",
    "sampled": "sampled",
    "bare": "sampled, no baseline",
    "argmax": "arg-max",
}
VERSIONS = {  # of the lecture's class
    "none": "no attention at all",
    "written": "as written",
    "axis": "one weight per token",
    "axis-mask": "one weight per token, mask",
    "encoder-axis": "encoder asked",
    "all": "encoder asked, mask",
}
LETTERS = "ABCDEFGHIJKLMNOP"


@kept(16)
def table(seed: int, n_card: int) -> Table:
    """The table at which the exhibits look, and a question for each of its cards."""
    return probe(seed, n_card)


def cards(seed: int, n_card: int) -> list[str]:
    """The cards of that table, as "K4"."""
    shown = table(seed, n_card)
    return [f"{LETTERS[letter]}{digit}" for letter, digit in zip(shown.letters[0], shown.digits[0], strict=True)]


def questions(seed: int, n_card: int) -> list[str]:
    """The letter that each row asks for."""
    return [LETTERS[letter] for letter in table(seed, n_card).question]
