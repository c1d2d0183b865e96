"""Stories that no model has learned from, and how they go on: for a class that guesses the next word."""

from random import Random

from core.data.synthetic import stories

FIRST_SEED = 1000  # the models learned from the stories of seed 0
N_TRIED = 40
FEWEST, LEFT = 8, 12  # words of a story that are given, and that are left


def story(seed: int) -> str:
    """A story that no model has learned from, on one line, in which nobody speaks: quotation marks are no words."""
    written = stories(N_TRIED, FIRST_SEED + seed).strip().split("\n\n")
    return " ".join(next(one for one in written if '"' not in one).split())


def beginning(seed: int) -> str:
    """Its first words; the seed says how many, too."""
    words = story(seed).split()
    return " ".join(words[: Random(seed).randrange(FEWEST, len(words) - LEFT)])


def next_word(text: str, seed: int) -> str | None:
    """The word, or the sign, by which the story really goes on; None where the text has left it."""
    rest = story(seed).removeprefix(text)
    if rest == story(seed) or not rest.strip():
        return None
    word = rest.split()[0]
    return word if not rest[0].isspace() else word.rstrip(".,!?") or word


def append_word(text: str, word: str) -> str:
    """The text with one word more; a sign stands right behind it."""
    return f"{text}{word}" if word[:1] in ".,!?" else f"{text} {word}"
